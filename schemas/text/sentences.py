"""Divides a text into sentences, and cuts one that is too long behind a sentence."""

import re
from itertools import pairwise

SPACED_ENDS = ".!?\u061f\u0964"
"""Marks that end a sentence before a space: Latin ones, the Arabic question mark, the danda."""
UNSPACED_ENDS = "\u3002\uff01\uff1f"
"""Marks of Chinese and Japanese, which end a sentence anywhere."""
SENTENCE_ENDS = SPACED_ENDS + UNSPACED_ENDS
"""All of them. An ellipsis may stand within a sentence."""
_SENTENCE_END = re.compile(rf"[{SENTENCE_ENDS}\u2026][\"'\u201d\u2019)\]]?(?=\s|$)|[{UNSPACED_ENDS}]")


def whole_sentences(text: str) -> str:
    """Return the whole sentences of a text whose end is cut off; empty if there is none."""
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    return text[: ends[-1]].strip() if ends else ""


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, without the white space between them; a rest without an end is the last."""
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(text)), len(text)]
    parts = (text[start:end].strip() for start, end in pairwise(ends))
    return [part for part in parts if part]


def cut_at_sentence(text: str, most: int) -> str:
    """Return the beginning of a text: as many whole sentences as fit, else words, else characters.

    Args:
        text: Any text.
        most: The most characters of the result.
    """
    text = text.strip()
    if len(text) <= most:
        return text
    # One more character shows whether a sentence or a word ends at the limit.
    beginning = text[: most + 1]
    ends = [end for found in _SENTENCE_END.finditer(beginning) if (end := found.end()) <= most]
    if ends:
        return beginning[: ends[-1]]
    words = beginning.rpartition(" ")[0].rstrip()
    return words or text[:most]
