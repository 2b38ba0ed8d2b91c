"""LangGraph's demands on its own stores: how entries change, are listed, paged and found by meaning."""

import importlib
from itertools import chain

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from tests.acceptance.http.clients.conftest import secret_of

NOTES = ("notes", "ada")


@pytest.fixture
def store(patrol, person, stack):
    """A store in the Being's memory."""
    with patrol.MemoryPatrol(stack.url, secret_of(person)) as memory:
        yield importlib.import_module("memory_patrol.langgraph").PatrolStore(memory, "mira")


def keys(items):
    return [item.key for item in items]


def test_a_batch_answers_each_operation_in_its_place(store):
    store.put(NOTES, "old", {"text": "an older note"})
    found, put, listed, searched, missing = store.batch(
        [
            GetOp(NOTES, "old"),
            PutOp(NOTES, "new", {"text": "a newer note"}),
            ListNamespacesOp((MatchCondition("prefix", ("notes",)),)),
            SearchOp(("notes",), filter={"text": "an older note"}),
            GetOp(NOTES, "nothing"),
        ]
    )
    assert (found.value, put, listed, missing) == ({"text": "an older note"}, None, [NOTES], None)
    assert keys(searched) == ["old"]
    assert store.get(NOTES, "new").value == {"text": "a newer note"}


def test_an_entry_keeps_when_it_was_made_and_tells_when_it_changed(store):
    store.put(NOTES, "tea", {"cups": 1})
    first = store.get(NOTES, "tea")
    store.put(NOTES, "tea", {"cups": 2})
    second = store.get(NOTES, "tea")
    assert (first.namespace, first.key, second.value) == (NOTES, "tea", {"cups": 2})
    assert second.created_at == first.created_at == first.updated_at < second.updated_at
    store.delete(NOTES, "tea")
    assert store.get(NOTES, "tea") is None
    store.delete(NOTES, "tea")


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), ("langgraph", "x"), ("a", 1)])
def test_what_is_no_namespace_is_refused(store, namespace):
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "key", {"a": 1})


def test_entries_do_not_expire_and_a_put_that_asks_for_it_is_refused(store):
    assert not store.supports_ttl
    with pytest.raises(NotImplementedError):
        store.put(NOTES, "key", {"a": 1}, ttl=5)


@pytest.mark.parametrize(
    "value",
    [
        {"text": "Größe, 大きさ, حجم, 🌙 and e\u0301"},
        {"a": {"b": [1, 2.5, None, True, {"c": ""}]}, "": []},
        {"long": "x" * 20_000},
    ],
)
def test_a_value_comes_back_as_it_was_put(store, value):
    store.put(NOTES, "käse/ 🧀", value)
    assert store.get(NOTES, "käse/ 🧀").value == value


def test_namespaces_are_listed_by_beginning_end_depth_and_page(store):
    for namespace in (("a", "b", "c"), ("a", "b", "d"), ("a", "x"), ("b", "c"), ("e", "b", "c")):
        store.put(namespace, "k", {"n": 1})
    assert store.list_namespaces(prefix=("a", "b")) == [("a", "b", "c"), ("a", "b", "d")]
    assert store.list_namespaces(suffix=("c",)) == [("a", "b", "c"), ("b", "c"), ("e", "b", "c")]
    assert store.list_namespaces(prefix=("*", "b")) == [("a", "b", "c"), ("a", "b", "d"), ("e", "b", "c")]
    assert store.list_namespaces(prefix=("a",), suffix=("d",)) == [("a", "b", "d")]
    assert store.list_namespaces(max_depth=2) == [("a", "b"), ("a", "x"), ("b", "c"), ("e", "b")]
    assert store.list_namespaces(max_depth=2, limit=2, offset=1) == [("a", "x"), ("b", "c")]
    assert store.list_namespaces(prefix=("nothing",)) == []


def test_pages_of_a_search_have_each_entry_once(store):
    for number in range(7):
        store.put(NOTES, f"n{number}", {"text": f"note number {number}", "even": number % 2 == 0})
    pages = [keys(store.search(NOTES, limit=3, offset=offset)) for offset in (0, 3, 6, 9)]
    assert [len(page) for page in pages] == [3, 3, 1, 0]
    assert sorted(chain(*pages)) == [f"n{number}" for number in range(7)]
    assert len(store.search(NOTES, filter={"even": True}, limit=2)) == 2
    assert sorted(keys(store.search(NOTES, filter={"even": True}, limit=50))) == ["n0", "n2", "n4", "n6"]
    asked = [keys(store.search(NOTES, query="a number", limit=4, offset=offset)) for offset in (0, 4)]
    assert sorted(chain(*asked)) == [f"n{number}" for number in range(7)]


ANIMALS = {
    "cat": "The kitten sleeps on the sofa.",
    "dog": "A puppy barks at the postman.",
    "car": "The engine needs new oil.",
    "tax": "The return is due in April.",
}


def test_a_search_right_after_a_put_is_in_order_of_meaning_with_scores(store):
    for key, text in ANIMALS.items():
        store.put(NOTES, key, {"text": text})
    found = store.search(NOTES, query="feline pets", limit=10)
    assert keys(found)[0] == "cat"
    scores = [item.score for item in found if item.score is not None]
    assert len(scores) == len(ANIMALS)
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert keys(store.search(NOTES, query="a motor vehicle", limit=1)) == ["car"]
    # What was changed is found by what it says now.
    store.put(NOTES, "tax", {"text": "The lion hunts with other big cats."})
    assert set(keys(store.search(NOTES, query="feline", limit=2))) == {"cat", "tax"}
    assert store.search(NOTES, query="feline", limit=1, filter={"text": ANIMALS["dog"]})[0].key == "dog"


def test_scores_stay_within_their_bounds_once_everything_is_indexed(store, person, wait_until):
    for key, text in ANIMALS.items():
        store.put(NOTES, key, {"text": text})
    before = store.search(NOTES, query="The kitten sleeps on the sofa.", limit=10)
    asked = {"query": "kitten", "kinds": ["knowledge"]}
    wait_until(lambda: not person.ask("POST", "/search", json=asked).json()["unindexed"])
    after = store.search(NOTES, query="The kitten sleeps on the sofa.", limit=10)
    assert keys(before)[0] == keys(after)[0] == "cat"
    assert after[0].score == pytest.approx(before[0].score, abs=0.1)
    assert 0.5 < after[0].score <= 1


def test_only_the_named_fields_are_searched(store):
    store.put(NOTES, "a", {"title": "Quinces", "body": "How to tune a piano."}, index=["title"])
    store.put(NOTES, "b", {"title": "Pianos", "body": "How to bake a quince tart."}, index=["body"])
    store.put(NOTES, "c", {"title": "Piano", "body": "Piano"}, index=False)
    found = {item.key: item.score for item in store.search(NOTES, query="quince", limit=3)}
    assert found["a"] > 0
    assert found["b"] > 0
    assert found["c"] is None


@pytest.mark.parametrize("query", ["", " ", "?", "x" * 5000, "select * from notes; --", "🌙", "%_\\"])
def test_odd_queries_are_answered(store, query):
    store.put(NOTES, "a", {"text": "a note"})
    assert keys(store.search(NOTES, query=query)) == ["a"]
