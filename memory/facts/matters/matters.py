"""Which exclusive matter a fact is about, under any entity that a model names, and which statements a new one replaces.

Of a name, a birthday and an age the newest value counts. A home, a job and a partner are replaced where the words state
a change ("I live in Berlin now", "Broke up with Anna"); a second one, or a past one by its words, replaces nothing.
Where the words state neither, the model's comparison decides.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from memory.facts.extraction_rules import ExtractedFact
from memory.facts.matters.exclusive_values import values_of
from memory.grounding.known_words import is_common, plain
from memory.grounding.references import is_in_first_person, language_of
from memory.grounding.text_names import TextNames
from memory.text.languages import DEFAULT

_TABLE = tomllib.loads(Path(__file__).with_name("matters.toml").read_text())

# They read words in lower case: with the flag, each of their ninety branches would be entered at each character.
_CHANGE, _BESIDE, _PAST, _END = (re.compile(_TABLE[name]["tells"]) for name in ("change", "beside", "past", "end"))
# The value behind a word of parting: "from Austin", "quit Google".
_PARTED = re.compile(
    r"(?:from|left|quit|leave|von|aus|quitté|dejé|из) (?:my |the )?([^\W_]+)",
    re.IGNORECASE,
)
_SUBJECT = re.compile("^(?:the )?user(?:'s)? |^(?:he|she|they) ", re.IGNORECASE)
_PARTNER = "partner"
# Only facts of the user's own are about these matters; other people's facts are filed under these people.
_USERS_OWN = "PROFILE"


@dataclass(frozen=True)
class _Matter:
    name: str
    names: frozenset[str]
    tells: re.Pattern[str]
    always: bool


_MATTERS = {
    name: _Matter(
        name, frozenset(row["names"].split()), re.compile(row["tells"], re.IGNORECASE), row.get("always", False)
    )
    for name, row in _TABLE["matter"].items()
}
_NAMES = frozenset(name for matter in _MATTERS.values() for name in matter.names)
OF_REF: Mapping[str, str] = {f"thing:{name}": matter.name for matter in _MATTERS.values() for name in matter.names}


def matter_of(type_: str, primary_ref: str, content: str, span: str) -> str | None:
    """The exclusive matter that a statement is about; None if it is about none.

    Args:
        primary_ref: The entity that it is said to be about.
        content: The statement.
        span: The words that it quotes; empty if it quotes none.
    """
    if type_ != _USERS_OWN:
        mine = not span or is_in_first_person(span, language_of(span, DEFAULT))
        named = OF_REF.get(primary_ref) == _PARTNER or primary_ref.startswith("person:")
        tells = _MATTERS[_PARTNER].tells.search(content) is not None
        return _PARTNER if type_ == "PEOPLE" and named and tells and mine else None
    if (named_matter := OF_REF.get(primary_ref)) is not None:
        return named_matter
    # A thing is often a second subject of a statement.
    is_thing = primary_ref.partition(":")[0] not in {"place", "org", "person"}
    predicate = _SUBJECT.sub("", content)
    found = ((name, matter.tells.search(predicate)) for name, matter in _MATTERS.items())
    return next((name for name, match in found if match and not (is_thing and match.start())), None)


def filed(fact: ExtractedFact) -> ExtractedFact:
    """The fact, filed under the exclusive matter that it is about; its other entities stay."""
    primary = next(iter(fact.refs))
    matter = matter_of(fact.type, primary, fact.content, fact.span)
    if matter is None or fact.subject_ref is not None:
        return fact
    ref = f"thing:{matter}"
    others = {other: label for other, label in fact.refs.items() if OF_REF.get(other) != matter}
    return replace(fact, refs={ref: fact.refs.get(ref, matter), **others}, fact_type="fact", type=_USERS_OWN)


def replaced(matter: str, span: str, content: str, others: Iterable[tuple[str, bool]]) -> list[bool]:
    """Return, for each of some statements about a matter, whether a new one replaces it, by the new one's words.

    Args:
        matter: The exclusive matter.
        span: The words that the new statement quotes.
        content: The new statement.
        others: The others, each with whether a model says that they contradict each other.
    """
    words = f"{span}\n{content}".lower()
    always = _MATTERS[matter].always
    is_change = always or _CHANGE.search(words) is not None
    is_beside = not always and _BESIDE.search(words) is not None
    is_past = not always and _PAST.search(words) is not None and not is_change
    is_end = not always and _END.search(words) is not None
    listed = list(others)
    if is_past or is_beside:
        return [False] * len(listed)
    if not is_change:
        return [contradicts for _, contradicts in listed]
    new = values_of(content)
    gone = frozenset[str]() if always else _gone(span, content, is_end=is_end)
    if gone:
        # "Broke up with Anna" ends the statements about Anna alone.
        ended = TextNames(" ".join(gone))
        return [any(map(ended.stands, values_of(other))) for other, _ in listed]
    if is_end:
        return [True] * len(listed)
    return [contradicts or _is_other_value(new, values_of(other)) for other, contradicts in listed]


def _gone(span: str, content: str, *, is_end: bool) -> frozenset[str]:
    """Return the former values in words: those behind "from" or "quit"; of an end, all names."""
    parted = {found[1] for found in _PARTED.finditer(span) if found[1][0].isupper()}
    if not parted and is_end:
        parted = {*values_of(span), *values_of(content)}
    return frozenset(name for name in map(plain, parted) if not is_common(name) and name not in _NAMES)


def _is_other_value(new: frozenset[str], other: frozenset[str]) -> bool:
    return not (new and other) or not (new <= other or other <= new)
