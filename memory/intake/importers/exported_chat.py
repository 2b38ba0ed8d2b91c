"""A chat of an export: its messages are added one by one, and then yielded as entries.

Messages of systems and tools, and a model's thoughts, are left out; of an agent's chat also its program's insertions in
the user's lines. People write such tags and texts as well: other chats are not changed. A message without an id is
known by its speaker, time and words; without a time, by the message before it.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from memory.intake.importers import fields, speech, unmarked
from memory.intake.importers.entries import Entry, ExcludedEntry, ExportFile, ExportPersons, Owners, UnreadableEntry
from memory.intake.importers.plain.dates import moments
from memory.intake.importers.sillytavern import message_id
from memory.intake.importers.threads import (
    ROOTS,
    THOUGHT_ALONE,
    ChatNode,
    ThreadDetails,
    are_strangers,
    conversation,
    oldest_first,
)
from memory.intake.importers.times import second_of_two
from memory.wrapping.agents import acknowledges, marks_line
from memory.wrapping.own_words import users_words
from schemas.text import source_marks

PROGRAM_NAME = "other"
NO_TALK = "messages of the system, of tools, deleted, or without words"
INSERTED = "texts that an agent's program wrote into the user's lines, or in answer to them"
TWICE = "messages that a log has in two records"
NO_SIDE = "it does not say whose it is: name the user with `--me`"


def _recoded(one: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message with its texts as they were, of a program that writes each byte of UTF-8 as a character."""
    if not one.keys() >= fields.META:
        return one
    found = dict(one)
    for name, value in one.items():
        with suppress(UnicodeError):
            found[name] = value.encode("latin-1").decode() if isinstance(value, str) else value
    return found


def _text(message: Mapping[str, Any], side: speech.Side | None) -> str:
    text = speech.words(message).strip()
    return text if side == "user" else source_marks.of_others(text).strip()


@dataclass
class ExportedChat:
    """A chat that is being read."""

    file: ExportFile
    names: ExportPersons
    id: str | None
    begins: datetime | None = None
    leaf: str | None = None
    shown: frozenset[str] = frozenset()
    program: str = PROGRAM_NAME
    counted: bool = False
    owner: str | None = None
    bad: list[UnreadableEntry] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    turns: list[ChatNode] = field(default_factory=list)
    _sides: set[speech.Side | None] = field(default_factory=set)
    _unsure: dict[int, UnreadableEntry] = field(default_factory=dict)
    _seen: Counter[str] = field(default_factory=Counter)
    _kinds: list[str | None] = field(default_factory=list)
    _is_agents: bool = False
    _speaks_by_calls: bool = False
    _beside_calls: set[int] = field(default_factory=set)
    _before: str = ""
    _times: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._before = self.id or str(self.begins)

    def is_another(self, id_: str | None, owner: str | None) -> bool:
        """Whether a message with this chat id and owner belongs to another chat."""
        return self.id != id_ or (None not in {self.owner, owner} and self.owner != owner)

    def add(self, place: str, one: Any, key: str | None = None) -> None:
        """Take a message with its alternatives, or a node that links others."""
        if not isinstance(one, dict):
            self.bad.append(UnreadableEntry(place, "it is no object", one))
            return
        key, parent = key or fields.first(one, fields.KEYS), fields.first(one, fields.PARENTS)
        if parent in ROOTS and "messageId" not in one:
            # LibreChat names the beginning of a chat so; of another program it may be the parent of every question.
            parent = None
        for number, (exported, chosen) in enumerate(speech.alternatives(one)):
            message = _recoded(exported)
            side, speaker = self._side(message)
            text = _text(message, side)
            named = side is None and text != "" and speaker is not None
            if named:
                # The speakers of the other messages may decide.
                self._unsure[len(self.turns)] = UnreadableEntry(place, NO_SIDE, one)
            elif side is None and text:
                self.bad.append(UnreadableEntry(place, NO_SIDE, one))
            elif side is None and key is None and speaker is None:
                self.bad.append(UnreadableEntry(place, "it is no message", one))
            elif side == "neither" or not text:
                self.left_out[NO_TALK] += side is not None or speaker is not None
            (at, again), is_user = fields.time(message, self.names.zone), side == "user"
            self._times.append(fields.open_time(message, at))
            spoken = text if (named or side in {"user", "companion"}) and text else None
            self._sides |= {side} if spoken else set()
            # An id is derived from the export's own text, so that it stays when texts are read better.
            written = (speaker, text) if message is exported else (self._side(exported)[1], _text(exported, side))
            id_ = f"{key}/{number}" if key and number else key or self._id(*written, at, is_user=is_user)
            self._before = id_ if chosen else self._before
            if side == "companion" and speech.calls(message):
                is_speech = speech.spoken_by_calls(message) != []
                self._speaks_by_calls |= is_speech
                self._beside_calls |= set() if is_speech else {len(self.turns)}
            kind = message.get(unmarked.IN_LOG)
            self._kinds.append(None if kind is None else str(kind))
            self._is_agents |= kind is not None or unmarked.program(message) is not None
            self._is_agents |= marks_line(text) if is_user else acknowledges(text)
            key_ = key if chosen else None
            self.turns.append(ChatNode(id_, is_user, spoken, at, speaker, key_, parent, chosen, again))

    def _side(self, message: Mapping[str, Any]) -> tuple[speech.Side | None, str | None]:
        """The side that says a message, and the speaker's name."""
        side = speech.side(message)
        name = speech.speaker(message, has_side=side is not None)
        named = name or fields.first(message, (*speech.SAYING, *speech.SPEAKER_IDS, *speech.AUTHOR_KINDS))
        named = named or (speech.person(message) if side is None else None)
        if side is None and named is not None:
            side, name = "user" if self.names.user is not None and self.names.is_user(named, ()) else None, named
        return "neither" if side != "user" and speech.is_thought(message) else side, name

    def _id(self, name: str | None, text: str, at: datetime | None, *, is_user: bool) -> str:
        speaker, when = name or "", self._before if at is None else at.isoformat()
        derived = message_id(speaker, is_user, when, text, 1)
        self._seen[derived] += 1
        return message_id(speaker, is_user, when, text, self._seen[derived])

    def whole(self, owners: Owners | None) -> Iterator[Entry]:
        """Yield the chat, or its faults where it holds nothing, or its replacement where it is another user's."""
        another = owners.of_another("a conversation", self.owner, self.turns) if owners else None
        if another is not None:
            entries = [asdict(one) for one in self.turns]
            yield replace(another, entry=entries) if isinstance(another, UnreadableEntry) else another
            return
        is_named = self.names.user is not None and not are_strangers(self.turns, self.names)
        if self._sides != {"user", None} and not is_named:
            # The only speaker beside the user is the companion, under any name.
            self.bad += self._unsure.values()
            self.turns = [replace(one, text=None) if at in self._unsure else one for at, one in enumerate(self.turns)]
        # Derived from the export's own texts, as the ids of messages.
        derived = self._derived()
        self._read_open_times()
        if self._speaks_by_calls:
            # Such an agent's text beside another call is a thought.
            self.left_out[THOUGHT_ALONE] += sum(self.turns[at].text is not None for at in self._beside_calls)
            self.turns = [
                replace(one, text=None) if at in self._beside_calls else one for at, one in enumerate(self.turns)
            ]
        if self._is_agents or self._speaks_by_calls:
            self._leave_out_insertions()
        records = [
            (kind, (one.is_user, one.text)) if kind is not None and one.text is not None else None
            for kind, one in zip(self._kinds, self.turns, strict=True)
        ]
        if doubled := unmarked.twice(records):
            self.turns = [one for place, one in enumerate(self.turns) if place not in doubled]
            self.left_out[TWICE] += len(doubled)
        if not any(one.text for one in self.turns):
            yield from self.bad
            yield from (ExcludedEntry(reason) for reason, number in self.left_out.items() for _ in range(number))
            return
        has_leaf = self.leaf is not None and any(one.key == self.leaf for one in self.turns)
        firsts = {at for at, one in enumerate(self.turns) if one.is_user and one.parent is None}
        has_links = any(one.is_user and one.parent is not None for one in self.turns)
        if has_leaf and (has_links or sum(self.turns[at].key in self.shown for at in firsts) == 1):
            # Where questions name their parents, or one of them is in the list of shown messages, several that name
            # none are versions of the first one: they get one parent, so that the named branch decides which stands.
            self.turns = [replace(one, parent=min(ROOTS)) if at in firsts else one for at, one in enumerate(self.turns)]
        self.turns = oldest_first(self.turns)
        id_ = derived if self.id is None else f"{self.id}/{derived}" if self.counted else self.id
        chat = ThreadDetails(self.program, id_, self.begins or self.file.modified, self.leaf)
        yield conversation(chat, self.turns, self.names, self.bad, +self.left_out)

    def _read_open_times(self) -> None:
        """Read the times that are ambiguous in one message alone; no id is derived from them."""
        for place, at in enumerate(moments(self._times, self.names.zone)):
            if at is not None:
                again = second_of_two(at.astimezone(self.names.zone))
                self.turns[place] = replace(self.turns[place], at=at, again=again)

    def _leave_out_insertions(self) -> None:
        """Reduce the user's messages of an agent's chat to the user's words, and remove the program's own answers."""
        is_prompted = False
        for at, one in enumerate(self.turns):
            if one.text is None:
                continue
            own = users_words(one.text) if one.is_user else one.text
            own = "" if is_prompted and acknowledges(one.text, prompted=True) else own
            self.left_out[INSERTED] += own != one.text
            self.turns[at] = replace(one, text=own or None)
            is_prompted = one.is_user and not own

    def _derived(self) -> str:
        """An id for a chat that has none: of its words up to the first that the user says."""
        digest = hashlib.sha256(str(self.begins).encode())
        for one in oldest_first(self.turns):
            digest.update(f"{one.at}\0{one.text}\0".encode(errors="replace"))
            if one.is_user:
                break
        return digest.hexdigest()
