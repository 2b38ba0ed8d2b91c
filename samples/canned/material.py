"""The material of a question, read back out of its fences, and how alike two texts are."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

from samples.canned.wire import Json

WORD = re.compile(r"\w+")
SHORTEST_WORD = 3

_ATTRIBUTE = re.compile(r"(?<![\w-])([\w-]++)=(?:\"([^\"]*)\"|'([^']*)')")
_ANY_FENCE = re.compile(r"<([a-z_-]+)(?:\s[^<>]*)?>\n?([^<]*?)\n?</\1>")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]?")
# Words that do not show the subject of a text, so that no topic is made of them.
_COMMON = frozenset(
    WORD.findall(
        """a about above across afraid after again against all already also always an and any anybody anyone anything
    anyway are around as ask asked asking asks at ate away back be because been before began begin being below
    bent bit both bring brought but by call called calls came can caught come comes coming could day days did do
    does doing done down each eight eleven else enough even ever every everybody everyone everything far few
    fifty find first five for forgot forty found four from gave get give given gives go goes going gone good got
    great had half happened has have he hear heard her here him his hour hours how hundred i if in into is it
    its just keep kept knew know known knows last late later least left less let like little long look looked
    lot made make makes many maybe me mean might mine minute minutes moment month more morning most much must my
    need never new next nine no nobody none not nothing now of off old on once one only or other others our ours
    out over own past people perhaps played put quite really right said same saw say saying says second see seen
    seven shall she should since six so some somebody someone something sometimes soon stand still stood such
    sure take taken takes tell tells ten than that the their them then there these they thing things think third
    thirty this those thought three through time times to today told tomorrow tonight too took try twelve twenty
    two under until up upon us use used very wait want wanted wants was way we week weeks well went were what
    when where which while who whole why will with without would year years yes yesterday yet you your yours"""
    )
)


@dataclass(frozen=True)
class Fenced:
    """A text inside a fence, as it was written, and the attributes of its opening tag."""

    text: str
    attributes: dict[str, str]

    @property
    def ref(self) -> str:
        """How it is to be named."""
        return self.attributes.get("ref", "")

    @property
    def content(self) -> Json:
        """Its content, if it is JSON; else it is the action."""
        try:
            parsed = json.loads(self.text)
        except ValueError:
            return {"action": self.text}
        return parsed if isinstance(parsed, dict) else {"action": self.text}

    @property
    def words(self) -> frozenset[str]:
        """The words that show its subject."""
        return content_words(self.content.get("action", ""))

    def is_(self, state: str) -> bool:
        """Whether it is in a state."""
        return state in self.attributes.get("state", "").split()


@dataclass(frozen=True)
class Material:
    """The material of a question."""

    text: str

    def all(self, name: str) -> list[Fenced]:
        """Every text in a fence of this name, in order."""
        return [Fenced(unescape(text), attributes) for text, attributes in self.fences(name)]

    def fences(self, name: str) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the content of each fence of this name, with its inner fences, and its opening tag's attributes."""
        opening, closing, place = re.compile(rf"<{name}((?:\s[^<>]*)?)>\n?"), f"</{name}>", 0
        # Behind a fence that is not closed there is no closed one.
        while (opened := opening.search(self.text, place)) and (end := self.text.find(closing, opened.end())) >= 0:
            yield self.text[opened.end() : end].removesuffix("\n"), _attributes(opened[1])
            place = end + len(closing)

    def one(self, name: str) -> str:
        """The text in the first fence of this name; empty if there is none."""
        return next((fence.text for fence in self.all(name)), "")

    def sentences(self) -> Iterator[str]:
        """The sentences inside any fence, in order."""
        for fence in _ANY_FENCE.finditer(self.text):
            yield from sentences(unescape(fence[2]))


def content_words(text: str) -> frozenset[str]:
    """The words of a text that show its subject, in lower case."""
    return frozenset(word for word in WORD.findall(text.lower()) if len(word) >= SHORTEST_WORD and word not in _COMMON)


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard's likeness of two sets of words."""
    return len(one & other) / len(one | other) if one | other else 0.0


def sentences(text: str) -> list[str]:
    """The sentences of a text, unchanged."""
    return [found[0].strip() for found in _SENTENCE.finditer(text) if WORD.search(found[0])]


def _attributes(tag: str) -> dict[str, str]:
    return {found[1]: unescape(found[2] or found[3] or "") for found in _ATTRIBUTE.finditer(tag)}
