"""Rules that each item of the Shadow Judge's answer must pass to become a fact or todo.

The model proposes and code decides: the span must be a quotation from a message to judge, by the speaker that the item
names, about the real world. An item that fails is dropped with a reason, and does not affect the others.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, get_args
from uuid import UUID

from memory.facts.confidence_rules import Confidence, ShownMessage, repeated, requests
from memory.grounding.known_words import ROLES, is_unspaced, names_kin
from memory.grounding.setting import Setting
from memory.text.entity_names import USER_NAMES, USER_REF, entity_ref, slug
from memory.text.quote_match import find_quote
from memory.text.time_expressions.spoken import SpokenTime
from memory.text.transcripts import BY
from schemas.facts.fact_rows import EntityType, FactKind, FactType, TodoKind
from schemas.facts.judgement import FoundFact, FoundItem, FoundTodo, Judgement
from schemas.limits import LEAST_CONFIDENCE, LEAST_IMPORTANCE, MOST_IMPORTANCE, STATEMENT_CHARACTERS
from schemas.talk.messages import Message

# An item that shares no word with its quotation may be a paraphrase or a translation: it is kept, and counted.
UNSHARED = "no word of its quotation: kept, less sure"
UNSHARED_CONFIDENCE = 0.7


class FactRuleBroken(ValueError):
    """An item breaks a rule; the text names the rule, and is counted."""


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """A fact that passed the rules.

    `refs` maps entity refs to labels as named, the fact's main entity first. `subject_ref` is the person that the fact
    belongs to, if that is neither the user nor the first ref. `time` is the time that its words name.
    """

    message: Message
    span: str
    type: str
    content: str
    fact_type: str
    refs: dict[str, str]
    importance: int
    confidence: float
    subject_ref: str | None = None
    time: SpokenTime | None = None


@dataclass(frozen=True, slots=True)
class ExtractedTodo:
    """A todo that passed the rules; `known` is the todo that it repeats, or with `done` closes.

    `time` is the time that the words of `due`, or those of its quotation, name.
    """

    message: Message
    span: str
    kind: str
    content: str
    due: str | None
    known: UUID | None
    done: bool
    confidence: float
    time: SpokenTime | None = None


@dataclass(frozen=True, slots=True)
class ExtractedRequest:
    """A request of the user to the memory, with the facts, todos and messages that it is about.

    For a correction, `statement` is the corrected statement, and `time` the time that its words name. `about` is the
    name of an entity that is not to be mentioned.
    """

    message: Message
    span: str
    wish: str
    facts: tuple[UUID, ...] = ()
    todos: tuple[UUID, ...] = ()
    messages: tuple[UUID, ...] = ()
    statement: str | None = None
    time: SpokenTime | None = None
    about: str | None = None


USER = "user"
# Words that models write around a role: "the user", "User (Ann)", "speaker: user". Vowels of Hindi are no `\\w`.
_ARTICLE = r"(?:(?:the|der|die|le|la|el|il|lo|o|a|de)\s|l['\u2019])?"
_AROUND_ROLE = re.compile(
    rf"\W?(?:(?:speaker|role|by)\s?[:=]\s?)?{_ARTICLE}"
    r"(?P<role>[\w\u0900-\u0963]{1,20})\W?(?:\s?[(\[].*)?",
    re.IGNORECASE | re.DOTALL,
)
# Words of a role that a model has for any speaker.
_ALSO_OF_OTHERS = frozenset({"human", "person", "speaker", "i", "me", "myself", "self"})
_WORD = re.compile(r"\w+")
_BEFORE_SUBJECT = re.compile(rf"^\W{{0,3}}{_ARTICLE}", re.IGNORECASE)
Said = TypeVar("Said", FoundFact, FoundTodo)
Item = TypeVar("Item", ExtractedFact, ExtractedTodo)


@dataclass(frozen=True)
class Extraction:
    """The items that passed the rules, the messages in confidence, and the counts of dropped items by reason.

    `requests` are the user's requests to the memory (`spoken_requests.rules`).
    `doubted` counts the items that were kept with less confidence, by reason.
    """

    facts: list[ExtractedFact] = field(default_factory=list)
    todos: list[ExtractedTodo] = field(default_factory=list)
    confidences: set[Confidence] = field(default_factory=set)
    requests: list[ExtractedRequest] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    doubted: Counter[str] = field(default_factory=Counter)


def check(
    judgement: Judgement,
    shown: Mapping[str, ShownMessage],
    new: Collection[UUID],
    todos: Mapping[str, UUID],
    promises: Collection[UUID] = (),
    setting: Setting | None = None,
) -> Extraction:
    """Check each item of an answer.

    Args:
        judgement: The model's answer.
        shown: All messages that the model was shown, by the refs in the prompt, in order.
        new: The ids of those to judge, which items may quote. The Being's are evidence of its promises alone.
        todos: The known todos, by the refs in the prompt.
        promises: Those of the known todos that the Being promised.
        setting: The talk's user, time zone and language.
    """
    extraction = Extraction()
    whose = setting or Setting()
    judgement = _by_roles(judgement, whose, {ref: source.message.role for ref, source in shown.items()})
    grounds = _Grounds(whose, list(shown.values()))
    quotable = {ref: source for ref, source in shown.items() if source.message.message_id in new}
    others = {ref: source for ref, source in quotable.items() if source.message.role != "assistant"}
    for found in judgement.facts:
        try:
            extraction.facts.append(grounds.held(_fact(found, others), _declared(found), extraction.doubted))
        except FactRuleBroken as reason:
            extraction.dropped[str(reason)] += 1
    for todo in judgement.todos:
        try:
            extraction.todos.append(grounds.held(_todo(todo, quotable, todos, promises), (), extraction.doubted))
        except FactRuleBroken as reason:
            extraction.dropped[str(reason)] += 1
    extraction.confidences.update(_confidences(judgement, extraction.facts, shown, new))
    return extraction


def _by_roles(judgement: Judgement, setting: Setting, roles: Mapping[str, str]) -> Judgement:
    """The answer, with roles for names: the companion's as the speaker of its messages; the user's everywhere."""

    def own(item: Said) -> Said:
        if roles.get(item.message) == "assistant" and setting.is_known(item.speaker):
            return item.model_copy(update={"speaker": BY["assistant"]})
        if roles.get(item.message) != "user":
            return item
        changes: dict[str, object] = {"speaker": _user_for(item.speaker, setting)}
        if isinstance(item, FoundFact):
            entities = [
                one.model_copy(update={"name": _user_for(one.name, setting)}) if one.type == "person" else one
                for one in item.entities
            ]
            # A fact's main entity is never the user, where the fact names another entity.
            entities.sort(key=lambda one: one.type == "person" and one.name == USER)
            changes |= {"subject": _user_for(item.subject, setting), "entities": entities}
        return item.model_copy(update=changes)

    facts, todos = list(map(own, judgement.facts)), list(map(own, judgement.todos))
    return judgement.model_copy(update={"facts": facts, "todos": todos})


def _user_for(name: str, setting: Setting) -> str:
    return USER if setting.is_user(name) or _is_role(name, "user") else name


def _is_role(name: str, role: str) -> bool:
    word = _AROUND_ROLE.fullmatch(name.strip())
    return word is not None and word["role"].casefold() in ROLES.get(role, ())


@dataclass(frozen=True)
class _Grounds:
    """The grounds of items, in the messages that the model was shown."""

    setting: Setting
    shown: Sequence[ShownMessage]

    def held(self, item: Item, declared: Collection[tuple[str, str]], doubted: Counter[str]) -> Item:
        """The item, with less confidence if it shares no word with its quotation.

        Raises:
            FactRuleBroken: It has a name or number that was not said.
        """
        message = item.message
        place = next(place for place, one in enumerate(self.shown) if one.message.message_id == message.message_id)
        before = [one.own_text for one in self.shown[:place]]
        known = {message.speaker} if message.role == "other" and message.speaker else set[str]()
        ground = self.setting.quoted(item.span, self.shown[place].own_text, before, message.created_at, known)
        if faults := ground.faults(item.content, declared):
            raise FactRuleBroken(faults[0])
        if message.role == "other" and self._is_of_the_user(item, message.speaker or ""):
            raise FactRuleBroken("of the user, by another's words about themselves")
        item = self._timed(item, self.shown[place].own_text, ground.words)
        if ground.shares_a_word(item.content):
            return item
        doubted[UNSHARED] += 1
        return replace(item, confidence=max(LEAST_CONFIDENCE, item.confidence * UNSHARED_CONFIDENCE))

    def _is_of_the_user(self, item: Item, speaker: str) -> bool:
        """Whether a statement begins with the user, where neither it names its speaker nor its quotation the user.

        "The user's mother" is the speaker, where the quotation is of no relative.
        """
        words = [word.casefold() for word in _WORD.findall(_BEFORE_SUBJECT.sub("", item.content, count=1))]
        first = words[0] if words else ""
        named = self.setting.is_user(first) or self.setting.is_user(" ".join(words[:2]))
        is_role = any(
            first == role or (not role.isascii() and first.startswith(role)) for role in ROLES["user"] - _ALSO_OF_OTHERS
        )
        is_possessive = "s" in words[1:3] or names_kin(" ".join(words[1:2])) or is_unspaced(item.content)
        statement, quotation = slug(item.content), item.span
        return (named or is_role) and not (
            any(part in statement for part in slug(speaker).split("_") if part)
            or any(map(self.setting.is_user, _WORD.findall(quotation)))
            or (is_possessive and names_kin(item.content) and not names_kin(quotation))
        )

    def _timed(self, item: Item, text: str, words: str) -> Item:
        """The item with the time that its words name, against the date of its message."""
        at = item.message.created_at
        if isinstance(item, ExtractedFact):
            return replace(item, time=self.setting.time_of(words, at, text=text))
        due = find_quote(item.due, text) if item.due else None
        spoken = (self.setting.time_of(one, at, text=text, ahead=True) for one in (due, words) if one)
        time = next((found for found in spoken if found), None)
        # A time that the model worked out itself gives way to the words that were said.
        return replace(item, due=due or (time.words if time else item.due), time=time)


def _declared(found: FoundFact) -> list[tuple[str, str]]:
    """Return the entities that a fact names, and the person that it belongs to."""
    named = [(entity.type, entity.name) for entity in found.entities]
    return named if _person(found.subject) == USER_REF else [*named, ("person", found.subject)]


def _confidences(
    judgement: Judgement, facts: Sequence[ExtractedFact], shown: Mapping[str, ShownMessage], new: Collection[UUID]
) -> set[Confidence]:
    named = requests(judgement.confidences, shown, new)
    secret = {one.message_id for one in named}
    secret |= {source.message.message_id for source in shown.values() if source.message.in_confidence}
    sources = {source.message.message_id: source for source in shown.values()}
    return named | {
        Confidence(fact.message.message_id, message_id)
        for fact in facts
        for message_id in repeated(fact.content, sources[fact.message.message_id], list(shown.values()), secret)
    }


def _fact(found: FoundFact, quotable: Mapping[str, ShownMessage]) -> ExtractedFact:
    message, span = quotation(found, quotable)
    subject = _person(found.subject)
    if message.role == "other" and subject != _person(message.speaker or ""):
        raise FactRuleBroken("hearsay")
    _known(found.fact_type, FactKind)
    refs: dict[str, str] = {}
    # A third speaker's fact about themselves is never about the user.
    entities = [one for one in found.entities if message.role != "other" or entity_ref(one.type, one.name) != USER_REF]
    for entity in entities:
        _known(entity.type, EntityType)
        if ref := entity_ref(entity.type, entity.name):
            refs.setdefault(ref, entity.name.strip())
    if not entities and subject:
        # A fact that names no entity is about its subject.
        refs = {subject: found.subject.strip()}
    if not refs:
        raise FactRuleBroken("about nothing")
    type_ = found.type if found.type in get_args(FactType) else _type_by(next(iter(refs)))
    confidence = _confidence(found.confidence)
    subject_ref = _other_subject(found, type_, subject, refs)
    return ExtractedFact(
        message=message,
        span=span,
        # A profile fact of another person is filed under the people in the user's life.
        type="PEOPLE" if type_ == "PROFILE" and subject != USER_REF else type_,
        subject_ref=subject_ref,
        content=statement_of(found.statement),
        fact_type=found.fact_type,
        refs=refs,
        importance=min(MOST_IMPORTANCE, max(LEAST_IMPORTANCE, found.importance)),
        confidence=confidence,
    )


def _type_by(about: str) -> str:
    """Derive the type of a fact for which the judge gave an unknown one, from the ref of its main entity."""
    if about.startswith("project:"):
        return "PROJECT"
    return "PEOPLE" if about.startswith("person:") and about != USER_REF else "PROFILE"


def _other_subject(found: FoundFact, type_: str, subject: str | None, refs: dict[str, str]) -> str | None:
    """Return the person that a fact belongs to, if not the user; a person that it does not name is added to its refs.

    A project's facts belong to the project, even if the judge names another subject.

    Raises:
        FactRuleBroken: The item names no subject.
    """
    if subject is None:
        raise FactRuleBroken("no subject")
    if subject == USER_REF or type_ == "PROJECT":
        return None
    if subject.partition(":")[2] == next(iter(refs)).partition(":")[2]:
        return None
    refs.setdefault(subject, found.subject.strip())
    return subject


def _todo(
    found: FoundTodo, quotable: Mapping[str, ShownMessage], todos: Mapping[str, UUID], promises: Collection[UUID]
) -> ExtractedTodo:
    message, span = quotation(found, quotable)
    if message.role == "other":
        raise FactRuleBroken("hearsay")
    _known(found.kind, TodoKind)
    known = todos.get(found.known or "")
    promised = known in promises if known else found.kind == "promise"
    # The Being promises and keeps its promises; the user may say that one was kept.
    if promised != (message.role == "assistant") and not (promised and found.done):
        raise FactRuleBroken("another's todo")
    if found.known and known is None:
        raise FactRuleBroken("unknown todo")
    if found.done and known is None:
        raise FactRuleBroken("nothing known is done")
    due = " ".join((found.due or "").split())[:STATEMENT_CHARACTERS] or None
    return ExtractedTodo(
        message, span, found.kind, statement_of(found.content), due, known, found.done, _confidence(found.confidence)
    )


def quotation(found: FoundItem, quotable: Mapping[str, ShownMessage]) -> tuple[Message, str]:
    """The message that an item quotes, and its words as the message has them.

    Raises:
        FactRuleBroken: No message says them, another speaker does, or they are not of the real world.
    """
    source = quotable.get(found.message)
    if source is None:
        raise FactRuleBroken("no such message")
    message = source.message
    span = find_quote(found.span, source.own_text)
    # A span that reaches across a blanked part joins words that the message does not say together.
    if span is None or span not in message.content:
        raise FactRuleBroken("no such words")
    names = {"user": "user", "assistant": BY["assistant"]}
    speaker = _person(names.get(message.role, message.speaker or ""))
    # A third speaker with a name that reads as the user's can't be quoted.
    is_speaker = _person(found.speaker) == speaker or _is_role(found.speaker, message.role)
    if not is_speaker or (message.role == "other" and speaker in {None, USER_REF}):
        raise FactRuleBroken("another's words")
    if found.realm != "real":
        raise FactRuleBroken("not real")
    return message, span


def _person(name: str) -> str | None:
    return USER_REF if name.strip().lower() in USER_NAMES else entity_ref("person", name)


def _known(name: str, choices: Any) -> None:
    if name not in get_args(choices):
        raise FactRuleBroken("unknown type")


def statement_of(text: str) -> str:
    """A statement in one line.

    Raises:
        FactRuleBroken: It says nothing, or is too long.
    """
    plain = " ".join(text.split())
    if not slug(plain):
        raise FactRuleBroken("says nothing")
    if len(plain) > STATEMENT_CHARACTERS:
        raise FactRuleBroken("too long")
    return plain


def _confidence(value: float) -> float:
    if not value >= LEAST_CONFIDENCE:
        raise FactRuleBroken("not sure")
    return min(1.0, value)
