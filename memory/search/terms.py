"""Texts as index terms: their words, stemmed, each as the number that stands for it.

The same rule reads documents and questions. Stop words count only where there is nothing else, so that a message of
nothing but them is still found by its own words.
"""

from functools import lru_cache
from hashlib import blake2b

from memory.text.words import CACHED_WORDS, is_stop_word, stem, words


def terms(text: str, language: str) -> list[str]:
    """A text's index terms in order, as often as they occur.

    Args:
        text: Any text.
        language: The ISO 639-1 code of the language that Latin words are stemmed in.
    """
    everything = words(text)
    telling = [word for word in everything if not is_stop_word(word, language)]
    return [stem(word, language) for word in telling or everything]


@lru_cache(CACHED_WORDS)
def digest(term: str) -> int:
    """The number that stands for a term in the index: 64 bits, signed."""
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "big", signed=True)
