"""Answers to the Shadow Judge: a few English ways of telling something of oneself, each with its words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from samples.canned.material import Fenced, Material, alike, content_words, sentences
from samples.canned.wire import Json

LIKENESS = 0.8
HALF = 0.5

_UNREAL = re.compile(
    r"\b(if i|imagine|suppose|what if|i wish|let'?s play|pretend|in the (?:game|story))\b|\*", re.IGNORECASE
)
_SECRET = re.compile(
    r"\b(?:(?:just |only )?between (?:you and me|us|ourselves|the two of us)"
    r"|(?:don['\u2019]?t|do not|never) (?:tell|mention|repeat)"
    r"|keep (?:it|this|that) (?:to yourself|secret|quiet|private)"
    r"|in (?:strict )?confidence|(?:a|my|our) secret|not a word to|off the record)\b",
    re.IGNORECASE,
)
# Words of a message that asks for secrecy and states nothing: it means the messages before it.
_ASKING = {
    "actually",
    "anybody",
    "anyone",
    "everything",
    "keep",
    "know",
    "leave",
    "please",
    "remain",
    "remains",
    "remember",
    "said",
    "should",
    "stay",
    "stays",
    "tell",
    "that",
    "them",
    "this",
    "told",
    "want",
    "what",
}
_DONE = re.compile(r"\b(?:done|finished|did it|did the|i've|i have|already|gave up|cancelled)\b", re.IGNORECASE)
_NAME = r"(?P<name>[A-Z][\w'-]*(?: [A-Z][\w'-]*)*)"
_REST = r"(?P<name>[^.,;!?\n]+)"
# A thing's name ends where a clause about it, or a time, begins.
_THING = r"(?P<name>[^.,;!?\n]+?)(?= (?:that|which|who|I|my|we|our|today|tonight|tomorrow|now)\b|[.,;!?\n]|$)"
_KIN = "mother|father|mum|mom|dad|sister|brother|wife|husband|partner|girlfriend|boyfriend|son|daughter|friend|boss"


@dataclass(frozen=True)
class Way:
    """One form of words for a fact.

    Attributes:
        pattern: The words; the group `name` is the thing, place or person.
        statement: The fact, of the found groups and `{who}`.
        type: The fact's type.
        fact_type: The kind of statement.
        about: Type and name of its entity, of the found groups.
        named: The type of the thing that `name` names, if it is not that entity; else empty.
        importance: 0 to 3.
    """

    pattern: re.Pattern[str]
    statement: str
    type: str
    fact_type: str
    about: tuple[str, str]
    named: str
    importance: int


def _way(
    pattern: str,
    statement: str,
    about: tuple[str, str],
    named: str = "",
    *,
    type_: str = "PROFILE",
    fact_type: str = "fact",
    importance: int = 1,
) -> Way:
    return Way(re.compile(pattern), statement, type_, fact_type, about, named, importance)


_HOME, _LIKED, _PERSON = ("thing", "home"), ("thing", "{name}"), ("person", "{name}")
WAYS = (
    _way(rf"\b[Mm]y name is {_NAME}", "{who} is called {name}.", ("thing", "name"), "person", importance=3),
    _way(rf"\bI (?:now )?live in {_NAME}", "{who} lives in {name}.", _HOME, "place", importance=2),
    _way(rf"\bI(?:'ve)? moved to {_NAME}", "{who} lives in {name}.", _HOME, "place", importance=2),
    _way(
        rf"\bI work (?P<how>as an?|at|for) {_THING}", "{who} works {how} {name}.", ("thing", "job"), "org", importance=2
    ),
    _way(rf"\bI(?:'m| am) working on {_THING}", "{who} works on {name}.", ("project", "{name}"), type_="PROJECT"),
    _way(rf"\bI (?:really )?(?:like|love|enjoy) {_THING}", "{who} likes {name}.", _LIKED, fact_type="preference"),
    _way(rf"\bI (?:hate|can't stand) {_THING}", "{who} can't stand {name}.", _LIKED, fact_type="friction"),
    _way(rf"\bI (?:always|usually) {_REST}", "{who} usually does this: {name}.", _LIKED, fact_type="habit"),
    _way(
        rf"\b[Mm]y (?P<kin>{_KIN})(?:,| is called| is named)? {_NAME}",
        "{name} is the {kin} of {who}.",
        _PERSON,
        type_="PEOPLE",
        fact_type="relationship",
        importance=2,
    ),
)
_PROMISE = re.compile(rf"\bI(?:'ll| will) {_REST}")
_COMMITMENT = re.compile(rf"\bI(?:'ll| will| need to| have to| must| want to) {_REST}")


def judgement(material: Material) -> Json:
    """Find the facts of new messages that have one of the forms known here."""
    new = [message for message in material.all("message") if message.attributes.get("new") == "yes"]
    known = material.all("todo")
    return {
        "facts": [fact for message in new if not _is_companions(message) for fact in _facts(message)],
        "todos": [
            *(todo for message in new if _is_users(message) for todo in _todos(message, known)),
            *(promise for message in new if _is_companions(message) for promise in _promises(message)),
        ],
        "confidences": [one for message in new for one in _confidences(message, material.all("message"))],
        "requests": [],
    }


def reconciliation(material: Material) -> Json:
    """Compare facts: nearly equal words are a mention, other words on one matter contradict, unlike ones add."""
    earlier, comparisons = material.all("earlier"), []
    for new in material.all("new"):
        same_matter = [other for other in earlier if other.attributes.get("matter") == new.attributes.get("matter")]
        comparisons.append(_compared(new, same_matter))
        earlier.append(new)
    return {"comparisons": comparisons}


def _compared(new: Fenced, earlier: list[Fenced]) -> Json:
    words = content_words(new.text)
    nearest = max(earlier, key=lambda other: alike(words, content_words(other.text)), default=None)
    likeness = alike(words, content_words(nearest.text)) if nearest else 0.0
    if nearest is None or likeness == 0:
        return {"new": new.ref, "relation": "adds", "earlier": None}
    return {"new": new.ref, "relation": "same" if likeness >= LIKENESS else "contradicts", "earlier": nearest.ref}


def _confidences(message: Fenced, shown: list[Fenced]) -> Iterator[Json]:
    """A message that asks for secrecy; if it states nothing itself, also the messages before it."""
    if _is_companions(message) or not _SECRET.search(message.text):
        return
    yield {"message": message.ref, "asked_in": message.ref}
    if _tells(message):
        return
    for earlier in reversed(shown[: shown.index(message)]):
        yield {"message": earlier.ref, "asked_in": message.ref}
        if not _is_companions(earlier) and _tells(earlier):
            return


def _tells(message: Fenced) -> bool:
    # One name may be that of a person who must not know.
    return len(content_words(_SECRET.sub(" ", message.text)) - _ASKING) > 1


def _facts(message: Fenced) -> Iterator[Json]:
    speaker = message.attributes["by"]
    for sentence in _assertions(message):
        matches = [(way, found) for way in WAYS if (found := way.pattern.search(sentence))]
        for way, found in sorted(matches, key=lambda one: one[1].start()):
            groups = {group: " ".join(words.split()) for group, words in found.groupdict().items()}
            statement = way.statement.format(who="the user" if _is_users(message) else speaker, **groups)
            about = {"type": way.about[0], "name": way.about[1].format(**groups)}
            yield {
                **_found(message, found[0], sentence),
                "subject": speaker,
                "type": way.type,
                "statement": statement[0].upper() + statement[1:],
                "entities": [about, *([{"type": way.named, "name": groups["name"]}] if way.named else [])],
                "fact_type": way.fact_type,
                "importance": way.importance,
            }


def _todos(message: Fenced, known: list[Fenced]) -> Iterator[Json]:
    for sentence in _assertions(message):
        nearest = _nearest(sentence, known)
        if nearest and _DONE.search(sentence):
            yield _todo(message, sentence, sentence, nearest.text, known=nearest.ref, done=True)
        elif found := _COMMITMENT.search(sentence):
            content = " ".join(found["name"].split()).capitalize()
            yield _todo(message, found[0], sentence, content, known=nearest.ref if nearest else None, done=False)


def _todo(message: Fenced, span: str, sentence: str, content: str, *, known: str | None, done: bool) -> Json:
    found = _found(message, span, sentence)
    return {**found, "kind": "commitment", "content": content, "due": None, "known": known, "done": done}


def _promises(message: Fenced) -> Iterator[Json]:
    for sentence in _assertions(message):
        if found := _PROMISE.search(sentence):
            content = " ".join(found["name"].split()).capitalize()
            yield {**_todo(message, found[0], sentence, content, known=None, done=False), "kind": "promise"}


def _found(message: Fenced, span: str, sentence: str) -> Json:
    realm = "hypothetical" if _UNREAL.search(sentence) else "real"
    return {
        "message": message.ref,
        "span": span,
        "speaker": message.attributes["by"],
        "realm": realm,
        "confidence": 0.9,
    }


def _assertions(message: Fenced) -> list[str]:
    return [sentence for sentence in sentences(message.text) if not sentence.endswith("?")]


def _nearest(sentence: str, known: list[Fenced]) -> Fenced | None:
    """The todo that most of whose words are in a sentence."""
    words = content_words(sentence)

    def covered(todo: Fenced) -> float:
        todo_words = content_words(todo.text)
        return len(words & todo_words) / len(todo_words) if todo_words else 0.0

    best = max(known, key=covered, default=None)
    return best if best and covered(best) > HALF else None


def _is_companions(message: Fenced) -> bool:
    return message.attributes["by"] == "companion"


def _is_users(message: Fenced) -> bool:
    return message.attributes["by"] == "user"
