"""Asking: what a question is taken apart into, and what is told to those whose question can't be answered."""

import random

import pytest

from memory.nodes import recall
from memory.text.errors import InvalidRequest
from providers.embedders import Embedders
from providers.errors import InputRefused, Transient
from schemas.limits import SEARCH_TERMS
from schemas.settings import Settings
from store.nodes import finding, nodes
from store.nodes.embeddings import halfvec
from tests.scenes import EAST, MODEL, remember, root, words


class Failing:
    """An embedder, and all there are, that has nothing but this fault to offer."""

    def __init__(self, fault) -> None:
        self.fault = fault

    model = MODEL
    max_tokens = 8191
    portion = 64

    def count_tokens(self, texts):
        return [len(text.split()) for text in texts]

    def embed(self, texts):
        del texts
        raise self.fault

    embed_queries = embed


class FailingEmbedders(Embedders):
    """The failing embedder for every Being."""

    def __init__(self, fault) -> None:
        super().__init__(Settings())
        self.failing = Failing(fault)

    def serving(self, model):
        del model
        return self.failing


@pytest.fixture
def know(store, being):
    """Remember things, and put them where the patrol would."""

    def knowing(*actions):
        with store.transaction() as tx:
            remember(tx, being, *(words(action) for action in actions), cluster=root(tx, being))

    return knowing


@pytest.fixture
def ask(store, being):
    """Recall by way of an embedder that fails."""

    def asking(query, fault, *, limit=3):
        asked = recall.RecallQuery(query, limit=limit, threshold=0.35)
        return recall.recall(store, FailingEmbedders(fault), being, asked, random.Random(1))

    return asking


@pytest.fixture
def recall_by_words(ask):
    """The actions that are recalled while the embedder is away."""

    def asking(query, **asked):
        answer = ask(query, Transient("away"), **asked)
        assert answer.degraded
        return [node.scene["action"] for node in answer.nodes]

    return asking


COFFEE = "朝、窓辺でコーヒーを飲んだ。"


@pytest.mark.parametrize(
    ("query", "action"),
    [
        pytest.param("昨日コーヒーはどこでしたか？", COFFEE, id="katakana"),
        pytest.param("何を飲みましたか。", COFFEE, id="a lone ideograph"),
        pytest.param("Hashiは正式に決定した?", "Hashiを正式採用した。", id="Latin letters without spaces around"),
        pytest.param("りんごはどこ", "りんごを食べた。", id="hiragana alone"),
        pytest.param("고양이가 어디에 있어", "고양이를 보았다.", id="Korean"),
        pytest.param("กาแฟอยู่ที่ไหน", "ดื่มกาแฟ", id="Thai"),
        pytest.param("Где чашка?", "Разбилась чашка.", id="Cyrillic"),
        pytest.param("Any (saffron) left?", "Mira baked saffron buns.", id="English"),
    ],
)
def test_words_are_found_in_scripts_with_and_without_spaces(know, recall_by_words, query, action):
    know("Zzz.", action)

    assert recall_by_words(query) == [action]


def test_grammar_does_not_outweigh_what_is_told(know, recall_by_words):
    know("おやすみなさいといいました。", COFFEE)

    assert recall_by_words("なにを飲んでいましたか") == [COFFEE]


def test_a_long_question_is_asked_by_its_first_words(know, recall_by_words):
    know("The last violin.", "The first bridge.")
    many = " ".join(f"nothing{number}" for number in range(SEARCH_TERMS))

    assert recall_by_words(f"bridge {many} violin") == ["The first bridge."]


def test_a_refused_query_is_the_askers_concern(ask):
    with pytest.raises(InvalidRequest, match=r"refuses the query.*HTTP 413"):
        ask("saffron", InputRefused("The model provider refused the input (HTTP 413)."))


def test_a_search_takes_so_many_terms_and_says_so(store, being, know):
    know("Rain at sea.")
    most = ["rain", *(f"word{number}" for number in range(SEARCH_TERMS - 1))]
    repeated = " ".join([*most, *most])

    found = recall.search(store, being.being_id, repeated, all_terms=False, limit=20)

    assert [node.scene["action"] for node in found.nodes] == ["Rain at sea."]
    with pytest.raises(InvalidRequest, match="at most 32 different terms, and this one has 33"):
        recall.search(store, being.being_id, f"{repeated} more", all_terms=False, limit=20)


def test_a_search_credits_what_it_returns_and_nothing_beyond(store, being, know):
    know("The oven smoked.", "The oven failed.", "The oven cooled.")
    found = recall.search(store, being.being_id, "oven", all_terms=False, limit=2)
    with store.transaction() as tx:
        rows = tx.execute("select node_id from memory.memory_nodes where reactivation_count > 0").fetchall()
    assert {row["node_id"] for row in rows} == {node.node_id for node in found.nodes}
    assert len(rows) == 2


@pytest.fixture
def fetched():
    """The rows that scans by the index of vectors have fetched in this transaction, other than scans by a bitmap."""
    return lambda tx: tx.value("select pg_stat_get_xact_tuples_fetched('memory.node_vectors_of_model'::regclass)")


def test_a_recall_compares_vectors_in_the_order_in_which_they_are_stored(store, being, know, fetched):
    know(*(f"entry {number}" for number in range(50)))

    with store.transaction() as tx:
        # By these statistics the primary key would seem cheaper.
        tx.execute("analyze memory.node_vectors")
        before = fetched(tx)
        found = finding.match(tx, being.being_id, MODEL, [words(vector=EAST).vector], threshold=0.35, limit=3)
        assert len(found) == 3
        assert fetched(tx) - before == 50


def test_a_recall_reads_no_vector_of_the_dead_and_a_search_none_of_the_forgotten(store, being, know, fetched):
    know(*(f"entry {number}" for number in range(50)))
    query = halfvec(words(vector=EAST).vector)

    with store.transaction() as tx:
        ids = [node.node_id for node in nodes.page(tx, being.being_id, limit=50)]
        for node_id in ids[:10]:
            nodes.change_state(tx, being.being_id, node_id, "forget")
        tx.execute(
            """
            update memory.memory_nodes
            set status = 'dead', session_count_base = null, final_session_count = 0, reactivations_at_death = 0
            where node_id = any(%s)
            """,
            [ids[10:30]],
        )

    with store.transaction() as tx:
        tx.execute("analyze memory.node_vectors")
        for living, compared in ((True, 20), (False, 40)):
            before = fetched(tx)
            asked = [being.being_id, MODEL, query, living]
            found = tx.execute("select * from memory.nearest_nodes(%s, %s, %s, %s, 50)", asked).fetchall()
            assert (len(found), fetched(tx) - before) == (compared, compared)
