"""Texts that are longer than an embedder reads are cut into overlapping windows."""

from itertools import pairwise

import pytest

from providers.local.minilm import open_minilm
from providers.windows import WHOLE_TOKENS, WINDOW_TOKENS, windows
from tests.planting.long_text import HIDING_PLACE, long_text


@pytest.fixture(scope="module")
def minilm():
    return open_minilm()


def test_a_text_that_fits_is_one_window(minilm):
    (one,) = windows(minilm, "A short text.", "Nora: ")
    assert (one.start, one.text) == (0, "Nora: A short text.")


def test_every_sentence_of_a_long_text_stands_whole_in_a_window_that_fits(minilm):
    text = long_text()
    cut = windows(minilm, text, "Nora: ")

    assert len(cut) > 3
    assert all(window.text.startswith("Nora: ") for window in cut)
    assert (
        max(minilm.count_tokens([window.text for window in cut])) <= WINDOW_TOKENS + minilm.count_tokens(["Nora: "])[0]
    )
    assert any(HIDING_PLACE in window.text for window in cut)
    assert all(text[window.start :].startswith(window.text.removeprefix("Nora: ")) for window in cut)


TEXTS = {
    "sentences": long_text(),
    "Japanese": "\u8336\u3092\u98f2\u3080\u3002" * 300,
    "unspaced": "\u8336" * 1500,
    "one word": "x" * 3000,
    "no sentences": "word " * 2000,
    "many sentences": "a.\n" * 2000,
    "white space": " \n" * 900 + "end",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_windows_cover_the_whole_text_and_overlap(minilm, text):
    cut = windows(minilm, text)
    spans = [(window.start, window.start + len(window.text)) for window in cut]

    assert max(minilm.count_tokens([window.text for window in cut])) <= WHOLE_TOKENS
    assert not text[: spans[0][0]].strip()
    assert not text[spans[-1][1] :].strip()
    for (start, end), (next_start, next_end) in pairwise(spans):
        assert start < next_start <= end + 1 < next_end + 1


def test_what_a_model_reads_limits_a_window():
    class Small:
        max_tokens = 20

        def count_tokens(self, texts):
            return [len(text.split()) for text in texts]

    assert max(len(window.text.split()) for window in windows(Small(), long_text())) <= 20
