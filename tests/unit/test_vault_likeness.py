"""Likeness is symmetric, bounded, and what difflib says where difflib is at its best."""

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from memory.vault_likeness import likeness, overlap, ratio, score, tokens

TEXT = st.text("ab cdé", max_size=30)


@given(TEXT, TEXT, st.floats(0, 1))
def test_the_short_cut_changes_no_ratio(first, second, at_least):
    one, other = sorted((first.casefold(), second.casefold()))
    exact = SequenceMatcher(None, one, other, autojunk=False).ratio()
    assert ratio(first, second) == ratio(second, first) == exact
    assert ratio(first, second, at_least) == (exact if exact >= at_least else 0.0)


@given(TEXT, TEXT)
def test_likeness_is_symmetric_and_between_0_and_1(first, second):
    assert 0 <= likeness(first, second) == likeness(second, first) <= 1


def test_a_long_text_is_like_itself():
    text = "The bakery opens at six, and Mira is there at four. " * 20
    assert ratio(text, text) == 1.0


def test_overlap_is_over_the_smaller_set():
    assert overlap(tokens("the red oven"), tokens("The RED door of that house")) == 2 / 3
    assert overlap(tokens("..."), tokens("oven")) == 0.0


def test_scripts_without_spaces_are_compared_by_pairs_of_letters():
    assert tokens("東京は雨 rain") == {"東京", "京は", "は雨", "rain"}
    assert score("東京", "明日の東京は晴れ") > 0


def test_a_score_adds_up_as_the_seed_says():
    query, text = "oven", "The oven failed."
    assert score(query, text) == 1.0 + 0.3 + 0.4 * SequenceMatcher(None, "oven", "the oven failed.").ratio()
    assert score("failed the", text) == 1.0 + 0.4 * ratio("failed the", text)
    assert score("ove", text) == 0.0
