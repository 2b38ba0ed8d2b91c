"""Stores the entries that readers yield.

An import keeps no state of its own: every entry has an id, or is known by its content, and stored ones are skipped. So
the same file again changes nothing, and after a kill it goes on where it was.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from memory.facts import seeding
from memory.intake.importers import branches, characterai, chatgpt, claude, honcho, mem0, sillytavern, transcripts
from memory.intake.importers.entries import (
    Conversation,
    Entry,
    ExcludedEntry,
    Knowledge,
    Reader,
    Statement,
    UnreadableEntry,
)
from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from memory.intake.off_the_record import must_be_kept
from memory.text.same_words import LONG, comparable, digest
from providers.embedders import Embedders
from schemas.accounts.accounts import Being
from schemas.facts.fact_requests import Seed
from schemas.intake.notes import Receipt
from schemas.limits import BATCH_ITEMS
from schemas.settings import Settings
from schemas.text.storable import storable
from schemas.text.validation_messages import validation_messages
from store.database import Store
from store.talk import messages as stored
from store.talk import transcripts as proxied_talk

# Each reads one file; beside it, which files of an archive or a folder are its.
FORMATS: dict[str, tuple[Reader, str]] = {
    "chatgpt": (chatgpt.read, chatgpt.FILES),
    "claude": (claude.read, claude.FILES),
    "sillytavern": (sillytavern.read, sillytavern.FILES),
    "characterai": (characterai.read, characterai.FILES),
    "mem0": (mem0.read, mem0.FILES),
    "honcho": (honcho.read, honcho.FILES),
    "other": (transcripts.read, transcripts.FILES),
}
SEEDS_AT_ONCE = 200
# The most conversations in which a chat's messages are looked for: the proxy may have split a chat after long changes.
CONVERSATIONS = 5
FEWEST = 2


@dataclass
class EntryOutcomes:
    """The outcome of an export's entries.

    `retracted` counts those of `messages` that are on other branches, `shortened` those with only the beginning of
    their text kept, `left_out` entries that are no talk, or not to be imported, by the reason.
    """

    messages: int = 0
    retracted: int = 0
    facts: int = 0
    notes: int = 0
    known: int = 0
    erased: int = 0
    set_aside: int = 0
    shortened: int = 0
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def read(self) -> int:
        """The number of entries processed."""
        taken = self.messages + self.facts + self.notes + self.known + self.erased
        return taken + self.set_aside + sum(self.left_out.values())

    def leave_out(self, reason: str, number: int) -> None:
        """Count entries that are not imported, and why."""
        if number:
            self.left_out[reason] = self.left_out.get(reason, 0) + number

    def account(self, receipt: Receipt) -> None:
        """Count the outcomes of a batch, except its accepted items, which are counted by kind, and its refused ones."""
        self.known += receipt.duplicates
        self.erased += len(receipt.erased)
        self.shortened += len(receipt.shortened)
        self.leave_out("off the record", len(receipt.off_the_record))


@dataclass
class Import:
    """One import into one Being.

    Attributes:
        store: The ledger.
        settings: Thresholds of intake.
        embedders: The embedders of this process, for retractions.
        being: The Being.
        aged: Whether memories are born with the age that they would have had.
        set_aside: Receives every entry that can't be imported.
        done: The outcome of the entries until now.
    """

    store: Store
    settings: Settings
    embedders: Embedders
    being: Being
    aged: bool
    set_aside: Callable[[UnreadableEntry], object]
    done: EntryOutcomes = field(default_factory=EntryOutcomes)
    _chats: list[Conversation] = field(default_factory=list)
    _in_batch: set[str | None] = field(default_factory=set)
    _waiting: int = 0
    _told: list[Statement] = field(default_factory=list)
    _kept: list[Knowledge] = field(default_factory=list)

    def take(self, entries: Iterable[Entry]) -> Iterator[EntryOutcomes]:
        """Import entries; yields the counts after each batch.

        Raises:
            IntakeFull: Too many items wait to be processed; earlier batches are committed.
            Unavailable: The database is unavailable; earlier batches are committed.
            Refused: The user would have too many facts; earlier batches are committed. Or the Being is off the record;
                nothing was imported.
            SecretMissing, ProviderError: As `retraction.retract`; earlier batches are committed.
        """
        must_be_kept(self.being)
        for entry in entries:
            match entry:
                case Conversation():
                    self._take_chat(entry)
                case Statement():
                    self._told.append(entry)
                case Knowledge():
                    self._kept.append(entry)
                case ExcludedEntry():
                    self.done.leave_out(entry.reason, 1)
                case UnreadableEntry():
                    self._put_aside(entry)
            if max(self._waiting, len(self._kept)) >= BATCH_ITEMS or len(self._told) >= SEEDS_AT_ONCE:
                self._flush()
                yield self.done
        self._flush()
        yield self.done

    def _take_chat(self, entry: Conversation) -> None:
        for bad in entry.bad:
            self._put_aside(bad)
        for reason, number in entry.left_out.items():
            self.done.leave_out(reason, number)
        # Intake mends text that can't be stored; ids have to be compared with the mended ones before.
        lines, off_branch = storable(list(entry.messages)), storable(list(entry.off_branch))
        chat = replace(entry, messages=lines, off_branch=off_branch)
        if chat.conversation in self._in_batch:
            # Of a conversation in two exports the later one is taken in as by an import of its own.
            self._flush()
        self._chats.append(chat)
        self._in_batch |= {chat.conversation} - {None}
        self._waiting += len(lines)

    def _put_aside(self, bad: UnreadableEntry) -> None:
        self.done.set_aside += 1
        self.set_aside(bad)

    def _flush(self) -> None:
        chats, self._chats, self._waiting = self._chats, [], 0
        self._in_batch.clear()
        lines = [message for chat in chats for message in chat.chosen]
        chosen = {message["id"] for message in lines}
        # Messages beside the chosen branch are awaited as retracted before they come: nothing is derived from them.
        for chat in chats:
            branches.choose(self.store, self.settings, self.embedders, self.being, chat, chosen)
        for chat in chats:
            branches.bring_back(self.store, self.settings, self.being, chat)
        # Files of branches begin with the same messages; the first chat that has chosen one counts.
        beside = [message for chat in chats for message in chat.messages if message["id"] not in chosen]
        lines += beside
        came_in = {id_ for chat in chats for id_ in _proxied(self.store, self.being, chat)}
        off_branch = {message["id"] for message in beside}
        for begin in range(0, len(lines), BATCH_ITEMS):
            self._say(lines[begin : begin + BATCH_ITEMS], off_branch, came_in)
        statements, kept, self._told, self._kept = self._told, self._kept, [], []
        self._tell(statements)
        for begin in range(0, len(kept), BATCH_ITEMS):
            self._keep(kept[begin : begin + BATCH_ITEMS])

    def _say(self, lines: Sequence[dict[str, Any]], off_branch: set[str], came_in: set[str]) -> None:
        with self.store.transaction() as tx:
            known = {*stored.known(tx, self.being.being_id, [message["id"] for message in lines]), *came_in}
        # Intake refuses another text under the same id, and the import reports it.
        unknown = {(one["id"], one["content"]): one for one in reversed(lines) if one["id"] not in known}
        new = [message | {"aged": self.aged} for message in reversed(unknown.values())]
        self.done.known += len(lines) - len(new)
        if new:
            receipt = accept_messages(self.store, self.settings, self.being.being_id, new)
            self.done.messages += receipt.accepted
            refused = {trouble.position for trouble in receipt.rejected + receipt.conflicts}
            refused |= {*receipt.erased, *receipt.off_the_record}
            self.done.retracted += sum(
                message["id"] in off_branch for place, message in enumerate(new) if place not in refused
            )
            self._account(receipt, new)

    def _account(self, receipt: Receipt, items: Sequence[dict[str, Any]]) -> None:
        self.done.account(receipt)
        for trouble in receipt.rejected + receipt.conflicts:
            item = items[trouble.position]
            self._put_aside(UnreadableEntry(item.get("conversation") or "a message", trouble.reason, item))

    def _tell(self, statements: Sequence[Statement]) -> None:
        seeds: list[tuple[Seed, Statement]] = []
        for statement in statements:
            try:
                seeds.append((Seed(type="PROFILE", content=statement.content), statement))
            except ValidationError as error:
                aside = {"content": statement.content, "told_at": statement.told_at}
                self._put_aside(UnreadableEntry(statement.place, "; ".join(validation_messages(error)), aside))
        for begin in range(0, len(seeds), SEEDS_AT_ONCE):
            some = seeds[begin : begin + SEEDS_AT_ONCE]
            done = seeding.seed(
                self.store,
                self.settings,
                self.being,
                [seed for seed, _ in some],
                told_at=[statement.told_at for _, statement in some],
            )
            self.done.facts += done.facts + done.told_again
            self.done.known += done.repeated

    def _keep(self, kept: Sequence[Knowledge]) -> None:
        if not kept:
            return
        items = [
            {
                "id": one.id,
                "type": "knowledge",
                "title": one.title,
                "content": one.content,
                "in_snapshot": one.in_snapshot,
            }
            for one in kept
        ]
        receipt = accept_notes(self.store, self.settings, self.being.being_id, items, origin="import")
        self.done.notes += receipt.accepted
        self._account(receipt, items)


def _proxied(store: Store, being: Being, chat: Conversation) -> set[str]:
    """Return the ids of those messages of a chat that are known under no id.

    They are messages of a proxied conversation of which the chat has two at least that are not short, and half of all:
    it is the same talk. Each message of that stands for one of the chat.
    """
    words = {message["id"]: comparable(message["content"]) for message in chat.messages}
    keys = {message["id"]: digest(message["role"], words[message["id"]]) for message in chat.messages}
    found: set[str] = set()
    with store.transaction() as tx:
        talks = proxied_talk.conversations_with(tx, being.being_id, set(keys.values()), prefix="", limit=CONVERSATIONS)
        for conversation, _ in talks:
            left = proxied_talk.without_ids(tx, being.being_id, conversation)
            least = max(FEWEST, left.total() / 2)
            same: list[str] = []
            for id_, key in keys.items():
                if id_ not in found and left[key]:
                    left[key] -= 1
                    same.append(id_)
            is_chance = sum(len(words[id_]) for id_ in same) < LONG
            found.update(same if len(same) >= least and not is_chance else [])
    return found
