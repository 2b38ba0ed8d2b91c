"""Knowledge under keys: replaced by its key, found at once, kept out of the snapshot, and gone when it is removed."""

from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from memory.context.filling import current_snapshot
from memory.intake.notes import accept_notes
from memory.search import knowledge_search as searching
from operations.intake.keyed_knowledge import get_knowledge, list_knowledge_namespaces, put_knowledge
from schemas.errors import Refused
from schemas.intake.knowledge import (
    KnowledgeChanges,
    KnowledgeKey,
    KnowledgeKeys,
    KnowledgeQuestion,
    NamespaceQuestion,
    NewKnowledge,
)
from schemas.intake.notes import NoteChanges
from schemas.settings import Settings
from store.accounts import beings
from store.intake import kept_notes
from tests.databases import answer_of
from tests.full_being import tables_with

TEA = {"namespace": ["ada", "drinks"], "key": "tea", "value": {"what": "green tea", "cups": 3}}
CAKE = {"namespace": ["ada", "food"], "key": "cake", "value": {"what": "plum cake", "cups": 1}}
OTHERS = {"namespace": ["adam"], "key": "tea", "value": {"what": "black tea", "cups": 9}}


class Keeping:
    """Keeps and finds knowledge of one Being."""

    def __init__(self, on, being):
        self.on, self.being = on, being

    def put(self, *items, settings=None):
        items = [NewKnowledge.model_validate(item) for item in items]
        on = SimpleNamespace(store=self.on.store, settings=settings or self.on.settings)
        return put_knowledge.call(on, self.being, KnowledgeChanges(items=items))

    def get(self, *namespace_and_key):
        key = KnowledgeKey(namespace=[*namespace_and_key[:-1]], key=namespace_and_key[-1])
        (shown,) = answer_of(self.on.store, get_knowledge, self.being, KnowledgeKeys(keys=[key])).items
        return shown

    def keys(self, **asked):
        return [one.key for one in self.find(**asked)]

    def find(self, **asked):
        return searching.search(self.on.store, self.on.embedders, self.being, KnowledgeQuestion(**asked)).items

    def namespaces(self, **asked):
        question = NamespaceQuestion.model_validate(asked)
        return answer_of(self.on.store, list_knowledge_namespaces, self.being, question).namespaces


@pytest.fixture
def kept(on, being):
    return Keeping(on, being)


def test_a_value_is_replaced_under_its_key(kept, clock):
    assert kept.put(TEA, CAKE).kept == 2
    first = kept.get("ada", "drinks", "tea")
    clock.advance(hours=1)

    kept.put(TEA | {"value": {"what": "coffee"}}, TEA | {"value": {"what": "mint tea"}})

    now = kept.get("ada", "drinks", "tea")
    assert (first.value, now.value) == (TEA["value"], {"what": "mint tea"})
    assert (now.created_at, now.updated_at > first.updated_at) == (first.created_at, True)
    assert kept.get("ada", "tea") is None


def test_it_is_found_at_once_by_words_then_by_meaning_and_by_what_it_says_now(kept, on, being):
    kept.put(TEA, CAKE)
    assert kept.keys(query="plums")[0] == "cake"
    assert kept.find(query="plums")[0].score > 0
    on.settle(being)
    assert kept.keys(query="a pastry", limit=1) == ["cake"]
    assert [one.kind for one in on.find(being, "plum cake").results] == ["knowledge", "knowledge"]

    kept.put(CAKE | {"value": {"what": "apple pie"}})

    assert kept.keys(query="apples")[0] == "cake"
    on.settle(being)
    assert not any("plum" in text for text in on.texts(being, "plum"))


def test_it_is_found_while_it_is_being_indexed(kept, on, being, monkeypatch):
    in_the_index = searching.nominate_by_words

    def indexed_meanwhile(*asked, **limits):
        found = in_the_index(*asked, **limits)
        on.settle(being)
        return found

    monkeypatch.setattr(searching, "nominate_by_words", indexed_meanwhile)
    kept.put(CAKE, TEA)
    first = kept.find(query="plums")[0]
    assert (first.key, first.score > 0) == ("cake", True)


def test_what_a_query_does_not_find_comes_last(kept, on, being):
    kept.put(TEA | {"search_text": ""}, CAKE)
    on.settle(being)

    found = kept.find(query="cake")

    assert [(one.key, one.score is None) for one in found] == [("cake", False), ("tea", True)]
    assert kept.keys(query="cake", offset=1) == ["tea"]
    assert on.find(being, "green tea", limit=1).results[0].text == '{"cups": 1, "what": "plum cake"}'


def test_it_is_found_by_the_text_that_is_given(kept, on, being):
    kept.put(TEA | {"search_text": "hot leaves"}, CAKE)
    assert kept.keys(query="leaves")[0] == "tea"
    on.settle(being)
    assert kept.keys(query="leaves")[0] == "tea"
    assert on.texts(being, "leaves", limit=1) == ['{"cups": 3, "what": "green tea"}']


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"what": "green tea"}, {"tea"}),
        ({"cups": {"$gte": 3}}, {"tea"}),
        ({"cups": {"$lte": 1}}, {"cake"}),
        ({"cups": {"$lt": 3}}, {"cake"}),
        ({"cups": {"$gt": 1, "$lte": 3}}, {"tea"}),
        ({"what": {"$gte": "h"}}, {"cake"}),
        ({"what": {"$ne": "green tea"}}, {"cake", "list"}),
        ({"missing": None}, {"tea", "cake", "list"}),
        ({"of": [1, {"two": {"$eq": 2}}]}, {"list"}),
        ({"of": [1]}, set()),
        ({"cups": {"$gt": "1"}}, set()),
        ({"cups": 3, "what": "plum cake"}, set()),
    ],
)
def test_filters_are_kept_to(kept, asked, found):
    kept.put(TEA, CAKE, {"namespace": ["lists"], "key": "list", "value": {"of": [1, {"two": 2}]}})

    assert set(kept.keys(filter=asked)) == found
    assert set(kept.keys(filter=asked, query="tea")) == found


def test_a_search_stays_in_its_namespace(kept, on, being, store, user):
    with store.transaction() as tx:
        sibling = Keeping(on, beings.add_being(tx, user.user_id, "finch", "Finch"))
    kept.put(TEA, CAKE, OTHERS)
    sibling.put(TEA)
    on.settle(being)

    assert set(kept.keys(namespace_prefix=["ada"])) == {"tea", "cake"}
    assert [one.namespace for one in kept.find(namespace_prefix=["ada", "drinks"], query="cake")] == [["ada", "drinks"]]
    assert kept.keys(namespace_prefix=["ad"]) == []
    assert len(kept.keys()) == 3
    assert sibling.get("adam", "tea") is None


def test_namespaces_are_listed_by_their_beginnings_and_ends(kept):
    kept.put(TEA, CAKE, OTHERS)

    assert kept.namespaces() == [["ada", "drinks"], ["ada", "food"], ["adam"]]
    assert kept.namespaces(max_depth=1) == [["ada"], ["adam"]]
    assert kept.namespaces(conditions=[{"at": "prefix", "path": ["ada", "*"]}], limit=1, offset=1) == [["ada", "food"]]
    assert kept.namespaces(conditions=[{"at": "suffix", "path": ["food"]}]) == [["ada", "food"]]
    assert kept.namespaces(conditions=[{"at": "suffix", "path": ["*", "ada", "food"]}]) == []


def test_what_is_removed_is_nowhere(kept, on, being, store):
    kept.put(TEA, CAKE)
    on.settle(being)
    with store.transaction() as tx:
        answer = "insert into memory.request_answers (user_id, digest, request, answer) values (%s, '', '', '')"
        tx.execute(answer, [being.user_id])

    done = kept.put(TEA | {"value": None}, OTHERS | {"value": None})

    assert (done.kept, done.removed) == (0, 1)
    assert kept.get("ada", "drinks", "tea") is None
    with store.transaction() as tx:
        assert tables_with(tx, "green") == {}
        assert tx.value("select count(*) from memory.search_documents where kind = 'knowledge'") == 1
        assert tx.value("select count(*) from memory.request_answers") == 0


def test_it_is_not_in_the_snapshot_and_counts_by_its_own_limit(kept, being, store):
    one_each = Settings(most_kept_notes=1, most_keyed_knowledge=1)
    kept.put(TEA, settings=one_each)
    kept.put(TEA, settings=one_each)
    with store.transaction() as tx:
        assert current_snapshot(tx, being) is None

    todo = {"type": "todo", "content": "Buy tea."}
    assert accept_notes(store, one_each, being.being_id, [todo]).accepted == 1
    with pytest.raises(Refused, match="PATROL_MOST_KEYED_KNOWLEDGE"):
        kept.put(CAKE, settings=one_each)
    assert kept.get("ada", "food", "cake") is None


def test_it_is_changed_under_its_key_alone(kept, being, store):
    kept.put(TEA)
    with store.transaction() as tx:
        note_id = tx.value("select note_id from memory.notes where being_id = %s", [being.being_id])

    with pytest.raises(Refused, match="under a key"), store.transaction() as tx:
        kept_notes.change(tx, being.being_id, note_id, NoteChanges(content="x").model_dump())
    with store.transaction() as tx:
        kept_notes.remove(tx, being.being_id, note_id)
    assert kept.keys() == []


@pytest.mark.parametrize(
    "asked",
    [{"filter": {"cups": {"$near": 3}}}, {"filter": {"of": [{"$gt": 1, "x": 2}]}}, {"query": "x", "offset": 1000}],
)
def test_a_question_that_can_not_be_answered_is_refused(asked):
    with pytest.raises(ValidationError):
        KnowledgeQuestion.model_validate(asked)


@pytest.mark.parametrize(
    "change", [{"namespace": []}, {"namespace": [""]}, {"key": "k" * 2001}, {"value": {"x": float("nan")}}]
)
def test_what_can_not_be_kept_is_refused(change):
    with pytest.raises(ValidationError):
        NewKnowledge.model_validate(TEA | change)
