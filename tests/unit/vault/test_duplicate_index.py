"""Similarity is symmetric and equals difflib's ratio without junk; the index agrees with comparing each pair."""

from datetime import UTC, datetime
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.vault.distinction import distinct
from memory.vault.duplicate_index import DuplicateIndex
from memory.vault.gates import GateRefused
from memory.vault.scope_writer import ScopeRules, ScopeWriter
from memory.vault.similarity import Query, overlap, ratio, ratio_at_most, tokens
from schemas.limits import VAULT_OVERLAP
from schemas.vault.vault_requests import NewRecord, RecordChanges

TEXT = st.text("ab cdé", max_size=30)
WORDS = st.lists(st.sampled_from(["bread", "oven", "Oven", "rain", "雨の日", "a", "ß"]), min_size=1, max_size=6)
TEXTS = TEXT.filter(str.strip) | WORDS.map(" ".join)
NOW = datetime(2026, 3, 2, tzinfo=UTC)


def nearly_the_same(first, second, threshold):
    """The reference for the index: two texts compared in full."""
    similar = overlap(tokens(first), tokens(second)) >= VAULT_OVERLAP or ratio(first, second, threshold) >= threshold
    return similar and not distinct(first, second)


def first_like(text, texts, threshold):
    return next((name for name, other in texts.items() if nearly_the_same(text, other, threshold)), None)


def first_sharing_tokens(text, texts):
    shared = (name for name, other in texts.items() if overlap(tokens(text), tokens(other)) >= VAULT_OVERLAP)
    return next((name for name in shared if not distinct(text, texts[name])), None)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.none() | TEXTS), max_size=12),
    TEXTS,
    st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.9, 1.0]) | st.floats(0, 1),
)
def test_the_index_finds_what_a_comparison_with_each_record_finds(changes, text, threshold):
    index, texts = DuplicateIndex(), {}
    for number, said in changes:
        name = str(number)
        if said is not None:
            index.put(name, said)
            texts[name] = said
        elif name in texts:
            index.remove(name)
            del texts[name]
    assert len(index) == len(texts)
    assert index.first_nearly_the_same(text, threshold) == first_like(text, texts, threshold)
    assert index.first_sharing_tokens(text) == first_sharing_tokens(text, texts)


@given(
    st.lists(st.tuples(st.sampled_from(["add", "update", "delete"]), st.integers(0, 9), TEXTS), max_size=20),
    st.sampled_from([0.5, 0.7, 0.9]),
)
def test_a_scope_judges_as_a_comparison_with_each_record_would(changes, threshold):
    scope, texts = ScopeWriter([], ScopeRules(["shared", "mira"], 4, threshold), NOW), {}
    for what, at, text in changes:
        name = list(texts)[at % len(texts)] if texts else None
        if what == "add":
            said, full = text.strip(), len(texts) == 4
            like = first_sharing_tokens(said, texts) if full else first_like(said, texts, threshold)
            if like is None and not full:
                texts[scope.add(NewRecord(text=text))[0].id] = said
                continue
            with pytest.raises(GateRefused) as refused:
                scope.add(NewRecord(text=text))
            assert (refused.value.gate, refused.value.existing) == ("duplicate" if like else "capacity", like)
        elif name and what == "update":
            texts[name] = scope.update(name, RecordChanges(text=text)).text
        elif name:
            scope.delete(name)
            del texts[name]


def test_a_full_scope_compares_no_sequences(monkeypatch):
    scope = ScopeWriter([], ScopeRules(["shared", "mira"], 1, 0.7), NOW)
    first, _ = scope.add(NewRecord(text="Mira opens the bakery at six."))
    monkeypatch.setattr("memory.vault.duplicate_index.process", None)
    monkeypatch.setattr("memory.vault.duplicate_index.ratio", None)
    for text, gate, existing in (
        ("The bakery Mira opens: six.", "duplicate", first.id),
        ("Miraopens thebakery atsix.", "capacity", None),
        ("Rain.", "capacity", None),
    ):
        with pytest.raises(GateRefused) as refused:
            scope.add(NewRecord(text=text))
        assert (refused.value.gate, refused.value.existing) == (gate, existing)


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
    assert tokens("東京タワーは雨 rain") == {"東京", "タワ", "ワー", "は", "雨", "rain"}
    assert Query("東京").score("明日の東京は晴れ") > 0


def test_a_score_adds_up_as_the_seed_says():
    query, text = "oven", "The oven failed."
    assert Query(query).score(text) == 1.0 + 0.3 + 0.4 * SequenceMatcher(None, "oven", "the oven failed.").ratio()
    assert Query("failed the").score(text) == 1.0 + 0.4 * ratio("failed the", text)
    assert Query("ove").score(text) == 0.0
