"""Long facts are embedded by their newest statements, as far as the embedder reads."""

import pytest

from memory.facts.vectors import newest_words
from providers.local.minilm import open_minilm


@pytest.fixture(scope="module")
def minilm():
    return open_minilm()


def test_a_long_fact_is_embedded_by_its_newest_statements(minilm):
    content = " ".join(f"Said number {number} about the sailing boat." for number in range(200))
    words = newest_words(minilm, content)
    assert words.endswith("Said number 199 about the sailing boat.")
    assert words.startswith("Said number ")
    assert minilm.max_tokens / 2 < minilm.count_tokens([words])[0] <= minilm.max_tokens


@pytest.mark.parametrize("content", ["Drinks tea.", "x" * 5000, "\u8336" * 5000])
def test_a_short_fact_is_embedded_whole_and_a_text_without_sentences_to_its_end(minilm, content):
    words = newest_words(minilm, content)
    assert content.endswith(words)
    assert 0 < minilm.count_tokens([words])[0] <= minilm.max_tokens
