"""Long facts are embedded by their newest statements, as far as the embedder reads."""

import pytest

from memory.facts.vectors import TOKENS_EMBEDDED, newest_words
from providers.tokens import estimated_tokens


def test_a_long_fact_is_embedded_by_its_newest_statements():
    content = " ".join(f"Said number {number} about the sailing boat." for number in range(200))
    words = newest_words(content)
    assert words.endswith("Said number 199 about the sailing boat.")
    assert words.startswith("Said number ")
    assert TOKENS_EMBEDDED / 2 < estimated_tokens(words) <= TOKENS_EMBEDDED


@pytest.mark.parametrize("content", ["Drinks tea.", "x" * 5000, "\u8336" * 5000])
def test_a_short_fact_is_embedded_whole_and_a_text_without_sentences_to_its_end(content):
    words = newest_words(content)
    assert content.endswith(words)
    assert 0 < estimated_tokens(words) <= TOKENS_EMBEDDED
