"""Whether two names may be variants of one, compared by spelling and by sound.

Speech recognition writes Makesh for Mukesh and Jon for John. The sound of a name is its consonants with its first and
last vowel, so that Maria differs from Mario; spelling is Jaro-Winkler similarity (Winkler 1990). Names that are
pronounced the same are certain variants; names that only sound similar are not, for Karin and Karen may be sisters.
Short forms of given names (given_names.toml), and a given name beside the full name, are possible variants alone.
"""

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz.distance import JaroWinkler

LEAST_SIMILAR = 0.78
_NUMBER = re.compile(r"\d+")
GIVEN_NAMES = tuple(
    frozenset(forms.split())
    for forms in tomllib.loads(Path(__file__).with_name("given_names.toml").read_text())["forms"]
)
_SAME_SOUND = (
    (re.compile(r"ph"), "f"),
    (re.compile(r"ck|q"), "k"),
    (re.compile(r"sch|sh"), "ʃ"),
    (re.compile(r"ch(?=[lr])"), "k"),
    (re.compile(r"ch"), "ʃ"),
    (re.compile(r"c(?=[eiy])"), "s"),
    (re.compile(r"c"), "k"),
    (re.compile(r"x"), "ks"),
    (re.compile(r"^kn"), "n"),
    (re.compile(r"^wr"), "r"),
    (re.compile(r"z"), "s"),
    (re.compile(r"dt$|th"), "t"),
    (re.compile(r"(?<=.)h"), ""),
    (re.compile(r"y|ie$|ey$"), "i"),
    (re.compile(r"(.)\1+"), r"\1"),
)


@dataclass(frozen=True, slots=True)
class NameSimilarity:
    """The similarity of two names, from 0 to 1, and how much follows from it.

    Attributes:
        similarity: Of the spellings.
        certain: Whether they are pronounced the same.
        weak: Whether one is a short form or a part of the other, which many people's names are.
    """

    similarity: float
    certain: bool
    weak: bool = False


def compare_names(one: str, other: str) -> NameSimilarity | None:
    """Compare two slugs part by part.

    Returns:
        None if they are different names: another surname, another number, another sound, and no short form.
    """
    names, others = one.split("_"), other.split("_")
    if one == other or _NUMBER.findall(one) != _NUMBER.findall(other):
        return None
    if len(names) != len(others):
        return _part_of(names, others)
    return _same_sound(names, others) or _short_form(names, others)


def _same_sound(names: Sequence[str], others: Sequence[str]) -> NameSimilarity | None:
    pronounced = [(_pronunciation(name), _pronunciation(another)) for name, another in zip(names, others, strict=True)]
    if any(_sound(name) != _sound(another) for name, another in pronounced):
        return None
    similarity = min(JaroWinkler.similarity(name, another) for name, another in pronounced)
    if similarity < LEAST_SIMILAR:
        return None
    return NameSimilarity(similarity, certain=all(name == another for name, another in pronounced))


def _part_of(names: Sequence[str], others: Sequence[str]) -> NameSimilarity | None:
    """Whether one is the other's first name, or a form of it."""
    short, full = sorted((names, others), key=len)
    if len(short) > 1 or not (short[0] == full[0] or _one_given_name(short[0], full[0])):
        return None
    return NameSimilarity(JaroWinkler.similarity("_".join(names), "_".join(others)), certain=False, weak=True)


def _short_form(names: Sequence[str], others: Sequence[str]) -> NameSimilarity | None:
    """Whether the given names are forms of one, and the surnames are equal."""
    if names[1:] != others[1:] or not _one_given_name(names[0], others[0]):
        return None
    return NameSimilarity(JaroWinkler.similarity("_".join(names), "_".join(others)), certain=False, weak=True)


def _one_given_name(one: str, other: str) -> bool:
    return any(one in forms and other in forms for forms in GIVEN_NAMES)


def _pronunciation(name: str) -> str:
    """An approximate pronunciation, in letters that each have one sound."""
    decomposed = unicodedata.normalize("NFKD", name)
    # Only Latin letters lose their marks: in other scripts a mark makes another letter.
    plain = re.sub(r"(?<=[a-zA-Z])[\u0300-\u036f]+", "", decomposed)
    for pattern, sound in _SAME_SOUND:
        plain = pattern.sub(sound, plain)
    return unicodedata.normalize("NFC", plain)


def _sound(pronunciation: str) -> str:
    return pronunciation[:1] + re.sub(r"[aeiou]", "", pronunciation[1:-1]) + pronunciation[1:][-1:]
