"""The sources of an answer: messages, events, statements and counts, in their current state when they are read."""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from memory.search.candidates import speaker_of
from memory.search.indexing import text_of
from memory.talk.context_provenance import own_texts
from schemas.accounts.accounts import Being
from schemas.context.asking import CiteKind
from schemas.search import Kind
from store.facts import statements
from store.nodes import nodes
from store.search import result_texts
from store.talk import messages
from store.transaction import Transaction

# Kinds with one text an item; messages and facts are read by their own rules.

OTHERS: tuple[Kind, ...] = ("node", "summary", "diary", "vault", "knowledge")


class Key(NamedTuple):
    """The key of a source: an item of the search, or one statement of a fact."""

    kind: CiteKind
    item_id: UUID


@dataclass(frozen=True, slots=True)
class Source:
    """Something that a sentence may rest on.

    Attributes:
        key: Names it within this answer.
        id: Its id in other routes.
        text: Its text.
        at: When it was said, happened or was written; None: it was counted.
        until: When a later statement of the same fact replaced it.
        speaker: The speaker; None if the source is no message.
        excerpt: Of a long text the stretch that is looked at; None: all of it.
        spans: Of a statement the words that support it, each with its message's id.
    """

    key: Key
    id: str
    text: str
    at: datetime | None = None
    until: datetime | None = None
    speaker: str | None = None
    excerpt: str | None = None
    spans: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> str:
        """The part of it that is looked at."""
        return self.text if self.excerpt is None else self.excerpt


def read_items(
    tx: Transaction, being: Being, items: Mapping[Key, datetime], as_of: datetime | None
) -> dict[Key, list[Source]]:
    """Read the sources of items that a search found: of a fact each statement, of all others one.

    Words of contexts and answers shown before are blanked in messages that repeat them: they are no evidence. Items
    that are gone, or were not known at `as_of` in these words, are left out.

    Args:
        tx: The transaction.
        being: The Being.
        items: The items, each with when it was said or happened.
        as_of: The moment that is asked about; None: now.
    """
    found = {
        Key("message", one.key.item_id): [one]
        for one in _messages(tx, being, [key.item_id for key in items if key.kind == "message"], as_of)
    }
    for one in facts(tx, being, [key.item_id for key in items if key.kind == "fact"], as_of):
        found.setdefault(Key("fact", UUID(one.id)), []).append(one)
    found |= {one.key: [one] for one in _others(tx, being, items, as_of)}
    return found


def facts(tx: Transaction, being: Being, fact_ids: Sequence[UUID], as_of: datetime | None) -> list[Source]:
    """The statements of facts as they stood at `as_of`, the replaced ones among them, in the order of their dates."""
    if not fact_ids:
        return []
    found = statements.as_known(tx, being.user_id, being.being_id, fact_ids, as_of)
    return [
        Source(
            Key("fact", one.statement_id),
            str(one.fact_id),
            one.content,
            one.since,
            one.until,
            spans=tuple((message_id, span) for message_id, span in one.spans),
        )
        for one in found
    ]


def standing(tx: Transaction, being: Being, sources: Collection[Source], as_of: datetime | None) -> dict[Key, Source]:
    """Read sources again: those that are still valid, in their current state. Counted rows do not change."""
    items = {one.key: one.at for one in sources if one.at is not None and one.key.kind != "fact"}
    found = [one for of_item in read_items(tx, being, items, as_of).values() for one in of_item]
    found += facts(tx, being, list({UUID(one.id) for one in sources if one.key.kind == "fact"}), as_of)
    wanted: AbstractSet[Key] = {one.key for one in sources}
    counted = [one for one in sources if one.key.kind == "computed"]
    return {one.key: one for one in [*found, *counted] if one.key in wanted}


def _messages(tx: Transaction, being: Being, ids: Sequence[UUID], as_of: datetime | None) -> list[Source]:
    if not ids:
        return []
    found = messages.standing(tx, being.being_id, ids, as_of)
    own = own_texts(tx, being.being_id, found)
    return [
        Source(
            Key("message", one.message_id),
            str(one.message_id),
            own[one.message_id].strip(),
            one.created_at,
            speaker=speaker_of(being, one.speaker, one.role),
        )
        for one in found
        if any(map(str.isalnum, own[one.message_id]))
    ]


def _others(tx: Transaction, being: Being, items: Mapping[Key, datetime], as_of: datetime | None) -> list[Source]:
    wanted = [(kind, key.item_id) for key in items for kind in OTHERS if kind == key.kind]
    if not wanted:
        return []
    changed = set[UUID]()
    if as_of is not None:
        ids = [item_id for kind, item_id in wanted if kind == "node"]
        changed = nodes.reworded_since(tx, being.being_id, ids, as_of) if ids else changed
    return [
        Source(
            Key(one.kind, one.item_id),
            one.id,
            text_of(one.kind, one.content, one.feeling),
            items[Key(one.kind, one.item_id)],
        )
        for one in result_texts.texts_of(tx, being.being_id, being.user_id, wanted)
        if one.item_id not in changed
    ]
