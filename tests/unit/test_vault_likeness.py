"""Likeness is symmetric, and what difflib says where difflib is at its best."""

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.vault_likeness import Query, nearly_the_same, overlap, ratio, ratio_at_most, tokens

TEXT = st.text("ab cdé", max_size=30)


@given(TEXT, TEXT, st.floats(0, 1))
def test_the_short_cut_changes_no_ratio(first, second, at_least):
    one, other = sorted((first.casefold(), second.casefold()))
    exact = SequenceMatcher(None, one, other, autojunk=False).ratio()
    assert ratio(first, second) == ratio(second, first) == exact
    assert ratio(first, second, at_least) == (exact if exact >= at_least else 0.0)


def test_texts_made_up_to_match_nowhere_are_compared_all_the_same():
    assert ratio("ax" * 600, "ay" * 600) == 0.5
    assert ratio(("a" * 10 + "b") * 20, ("a" * 9 + "c") * 20) == pytest.approx(0.8, abs=0.1)


@given(TEXT, TEXT)
def test_a_bound_is_one(first, second):
    assert ratio(first, second) <= ratio_at_most(first, second)
    assert Query(first).score(second) <= Query(first).score_at_most(second)
    assert (Query(first).score(second) > 0) == (overlap(tokens(first), tokens(second)) > 0)


def test_a_long_text_is_like_itself():
    text = "The bakery opens at six, and Mira is there at four. " * 20
    assert ratio(text, text) == 1.0


def test_near_duplicates_share_tokens_or_sequences():
    assert nearly_the_same("the oven is old", "old is the oven, very", 0.7)
    assert nearly_the_same("abcdefghij", "abcdefghiJx", 0.7)
    assert not nearly_the_same("abcdefghij", "klmnopqrst", 0.7)


def test_overlap_is_over_the_smaller_set():
    assert overlap(tokens("the red oven"), tokens("The RED door of that house")) == 2 / 3
    assert overlap(tokens("..."), tokens("oven")) == 0.0


def test_scripts_without_spaces_are_compared_by_pairs_of_letters():
    assert tokens("東京は雨 rain") == {"東京", "京は", "は雨", "rain"}
    assert Query("東京").score("明日の東京は晴れ") > 0


def test_a_score_adds_up_as_the_seed_says():
    query, text = "oven", "The oven failed."
    assert Query(query).score(text) == 1.0 + 0.3 + 0.4 * SequenceMatcher(None, "oven", "the oven failed.").ratio()
    assert Query("failed the").score(text) == 1.0 + 0.4 * ratio("failed the", text)
    assert Query("ove").score(text) == 0.0
