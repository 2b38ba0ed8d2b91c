"""Names that may be one and the same, spelt as somebody heard them: matched by spelling and by sound.

Speech recognition writes Makesh for Mukesh and Jon for John. Sound is a name's consonants with its first and last
vowel, so that Maria is not Mario; spelling is Jaro-Winkler similarity (Winkler 1990). Names that read aloud the same
are certain; what only sounds alike is a guess, for Karin and Karen may be sisters.
"""

import re
import unicodedata
from dataclasses import dataclass

from rapidfuzz.distance import JaroWinkler

LEAST_SIMILAR = 0.78
_READ_ALIKE = (
    (r"ph", "f"),
    (r"ck|q", "k"),
    (r"sch|sh", "ʃ"),
    (r"ch(?=[lr])", "k"),
    (r"ch", "ʃ"),
    (r"c(?=[eiy])", "s"),
    (r"c", "k"),
    (r"x", "ks"),
    (r"^kn", "n"),
    (r"^wr", "r"),
    (r"z", "s"),
    (r"dt$|th", "t"),
    (r"(?<=.)h", ""),
    (r"y|ie$|ey$", "i"),
    (r"(.)\1+", r"\1"),
)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two names are, from 0 to 1, and whether they are read aloud the same."""

    similarity: float
    certain: bool


def likeness(one: str, other: str) -> Likeness | None:
    """Compare two slugs.

    Returns:
        None where they name two: another surname, another number of names, another sound.
    """
    names, others = one.split("_"), other.split("_")
    if one == other or len(names) != len(others):
        return None
    read = [(_read(name), _read(another)) for name, another in zip(names, others, strict=True)]
    if any(_sound(name) != _sound(another) for name, another in read):
        return None
    similarity = min(JaroWinkler.similarity(name, another) for name, another in read)
    if similarity < LEAST_SIMILAR:
        return None
    return Likeness(similarity, certain=all(name == another for name, another in read))


def _read(name: str) -> str:
    """A name as it is read aloud, more or less, in letters that each have one sound."""
    decomposed = unicodedata.normalize("NFKD", name)
    # Only Latin letters lose their marks: elsewhere a mark makes another letter.
    plain = re.sub(r"(?<=[a-zA-Z])[\u0300-\u036f]+", "", decomposed)
    for pattern, sound in _READ_ALIKE:
        plain = re.sub(pattern, sound, plain)
    return unicodedata.normalize("NFC", plain)


def _sound(read: str) -> str:
    return read[:1] + re.sub(r"[aeiou]", "", read[1:-1]) + read[1:][-1:]
