"""Verifies that a message contains the words that a model quotes from it ("no span, no fact")."""

import re
from bisect import bisect_right
from itertools import accumulate

from memory.text.prompt_escaping import unescaped

_WORD = re.compile(r"\S+")


def find_quote(quoted: str, text: str) -> str | None:
    """Find a quotation in a text, exact except for white space.

    Args:
        quoted: The words that a model copied, escaped for prompts or not.
        text: The message's text.

    Returns:
        The words as the text has them; None if the text does not contain them.
    """
    for words in (quoted.split(), unescaped(quoted).split()):
        if words and (found := _find(" ".join(words), text)):
            return found
    return None


def _find(quoted: str, text: str) -> str | None:
    """Look for words in a text that has any white space between words; in time by the lengths, as `str.find` is."""
    words = list(_WORD.finditer(text))
    start = " ".join(word[0] for word in words).find(quoted)
    if start < 0:
        return None
    # Where each word begins when one space stands between words.
    begins = list(accumulate((len(word[0]) + 1 for word in words), initial=0))
    end = start + len(quoted) - 1
    first, last = (bisect_right(begins, place) - 1 for place in (start, end))
    return text[words[first].start() + start - begins[first] : words[last].start() + end - begins[last] + 1]
