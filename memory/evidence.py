"""What of a judge's answer may enter: rules that each item must pass, and the reason where it does not.

A model proposes and code decides (DESIGN section 7): the span has to be there, in a message that may testify, said by
whom the item says, in the real world. One bad item spoils no other.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args
from uuid import UUID

from memory.entity_names import USER_NAMES, USER_REF, entity_ref, slug
from memory.spans import found_span
from schemas.facts import EntityType, FactKind, FactType, TodoKind
from schemas.judgement import FoundFact, FoundItem, FoundTodo, Judgement
from schemas.limits import LEAST_IMPORTANCE, MOST_IMPORTANCE, STATEMENT_CHARACTERS
from schemas.rows import Message


class Dropped(ValueError):
    """An item can't enter; the text is the reason, the same for all that fail alike."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A message that may testify: what it says in its own words, at their places in it."""

    message: Message
    heard: str


@dataclass(frozen=True, slots=True)
class SoundFact:
    """A fact that passed. `refs` are the entities as they were named, first what it is about, with their labels."""

    message: Message
    span: str
    type: str
    content: str
    fact_type: str
    refs: dict[str, str]
    importance: int
    confidence: float
    in_confidence: bool


@dataclass(frozen=True, slots=True)
class SoundTodo:
    """A todo that passed; `known` is the one that it repeats, or with `done` ends."""

    message: Message
    span: str
    kind: str
    content: str
    due: str | None
    known: UUID | None
    done: bool
    confidence: float


@dataclass(frozen=True)
class Sound:
    """What may enter of an answer, and how many items were dropped for each reason."""

    facts: list[SoundFact] = field(default_factory=list)
    todos: list[SoundTodo] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def weighed(judgement: Judgement, witnesses: Mapping[str, Witness], todos: Mapping[str, UUID]) -> Sound:
    """Let in what passes every rule.

    Args:
        judgement: What the model found.
        witnesses: The messages that may testify, by the refs under which the model saw them: new ones of the user, and
            of others in the room.
        todos: The known todos, likewise by ref.
    """
    sound = Sound()
    for found in judgement.facts:
        try:
            sound.facts.append(_fact(found, witnesses))
        except Dropped as reason:
            sound.dropped[str(reason)] += 1
    for todo in judgement.todos:
        try:
            sound.todos.append(_todo(todo, witnesses, todos))
        except Dropped as reason:
            sound.dropped[str(reason)] += 1
    return sound


def _fact(found: FoundFact, witnesses: Mapping[str, Witness]) -> SoundFact:
    message, span = _testimony(found, witnesses)
    subject = _person(found.subject)
    if message.role == "other" and subject != _person(message.speaker or ""):
        raise Dropped("hearsay")
    _known(found.type, FactType, "unknown type")
    _known(found.fact_type, FactKind, "unknown type")
    refs: dict[str, str] = {}
    for entity in found.entities:
        _known(entity.type, EntityType, "unknown type")
        if ref := entity_ref(entity.type, entity.name):
            refs.setdefault(ref, entity.name.strip())
    if not refs:
        raise Dropped("about nothing")
    return SoundFact(
        message=message,
        span=span,
        type=found.type,
        content=_words(found.statement),
        fact_type=found.fact_type,
        refs=refs,
        importance=min(MOST_IMPORTANCE, max(LEAST_IMPORTANCE, found.importance)),
        confidence=_confidence(found.confidence),
        in_confidence=found.in_confidence or told_in_confidence(message),
    )


def _todo(found: FoundTodo, witnesses: Mapping[str, Witness], todos: Mapping[str, UUID]) -> SoundTodo:
    message, span = _testimony(found, witnesses)
    if message.role != "user":
        raise Dropped("hearsay")
    _known(found.kind, TodoKind, "unknown type")
    known = todos.get(found.known or "")
    if found.known and known is None:
        raise Dropped("unknown todo")
    if found.done and known is None:
        raise Dropped("nothing known is done")
    due = " ".join((found.due or "").split())[:STATEMENT_CHARACTERS] or None
    return SoundTodo(
        message, span, found.kind, _words(found.content), due, known, found.done, _confidence(found.confidence)
    )


def _testimony(found: FoundItem, witnesses: Mapping[str, Witness]) -> tuple[Message, str]:
    witness = witnesses.get(found.message)
    if witness is None:
        raise Dropped("no such message")
    message = witness.message
    span = found_span(found.span, witness.heard)
    # What stands on both sides of something that this system had shown was not said in one breath.
    if span is None or span not in message.content:
        raise Dropped("no such words")
    speaker = USER_REF if message.role == "user" else _person(message.speaker or "")
    # Whoever else calls themselves the user is nobody.
    if _person(found.speaker) != speaker or (message.role != "user" and speaker in {None, USER_REF}):
        raise Dropped("another's words")
    if found.realm != "real":
        raise Dropped("not real")
    return message, span


def told_in_confidence(message: Message) -> bool:
    """Whether the talking program says that a message is for this Being alone."""
    return message.metadata.get("in_confidence") is True


def _person(name: str) -> str | None:
    return USER_REF if name.strip().lower() in USER_NAMES else entity_ref("person", name)


def _known(name: str, choices: Any, reason: str) -> None:
    if name not in get_args(choices):
        raise Dropped(reason)


def _words(text: str) -> str:
    plain = " ".join(text.split())
    if not slug(plain):
        raise Dropped("says nothing")
    if len(plain) > STATEMENT_CHARACTERS:
        raise Dropped("too long")
    return plain


def _confidence(value: float) -> float:
    return min(1.0, max(0.0, value)) if math.isfinite(value) else 0.0
