"""Texts that are longer than the embedder reads are found by what any part of them means."""

import random

import pytest
from psycopg.types.json import Jsonb

from memory.facts import vectors
from memory.facts.retrieval import FactQuery, retrieve
from memory.nodes.recall import RecallQuery, recall
from memory.retrieval.text_vectors import embed_whole
from memory.search import candidates
from providers.local.encoder_config import MINILM
from schemas.ledger.kinds import EMBED_FACTS
from store.accounts import beings
from store.nodes import nodes
from store.talk import retraction
from tests.models.indexed import do
from tests.planting.long_text import ASKED, HIDING_PLACE, long_text
from tests.scenes import remember, words

OTHERS = [f"Item {number}: the market square, the benches and the parking were talked about." for number in range(12)]


@pytest.fixture
def windows_of(store):
    """How many windows there are, and of how many documents."""

    def counting():
        with store.transaction() as tx:
            row = tx.execute(
                "select count(*) as windows, count(distinct document_id) as documents from memory.search_vectors"
            ).fetchone()
            return row["windows"], row["documents"]

    return counting


@pytest.fixture
def most_nominated(monkeypatch):
    return lambda most: monkeypatch.setattr(candidates, "NOMINATED", most)


@pytest.fixture
def know_long_fact(on, store):
    """Give a Being's user a fact that has grown long, with its vectors."""

    def knowing(being, content):
        with store.transaction() as tx:
            fact_id = tx.value(
                "insert into memory.facts (user_id, type, content, entity_refs, entity_label, subtype, memory_key,"
                " source, confidence) values (%s, 'PEOPLE', %s, '{person:jon}', 'Jon', %s, 'jon',"
                " 'seeded_profile', 0.9) returning fact_id",
                [being.user_id, content, Jsonb({"entityType": "person", "factType": "fact"})],
            )
            vectors.request_embedding(tx, being.user_id)
        do(store, being.user_id, EMBED_FACTS, lambda claim: vectors.embed(store, on.embedders, on.settings, claim))
        on.settle(being)
        return fact_id

    return knowing


def test_a_long_message_is_found_by_what_its_last_third_means(on, being):
    on.tell(being, long_text(), *OTHERS)
    on.settle(being)

    (best,) = on.find(being, ASKED, limit=1, explain=True).results

    assert best.text == long_text()
    assert best.signals["meaning"].value > 0.35


def test_a_long_question_is_read_to_its_end(on, being):
    on.tell(being, HIDING_PLACE, *OTHERS)
    on.settle(being)

    question = long_text(told="", sentences=50) + " " + ASKED
    found = on.find(being, question, limit=20, explain=True).results
    (meant,) = (one.signals["meaning"].value for one in found if one.text == HIDING_PLACE)

    assert meant > 0.25


def test_documents_are_counted_and_not_their_windows(on, being, windows_of):
    on.tell(being, long_text(), "Short.")
    on.index(being.being_id)
    assert on.find(being, "market").unindexed == 2

    on.embed(being.being_id)

    assert on.find(being, "market").unindexed == 0
    assert windows_of() > (3, 2)
    assert windows_of()[1] == 2
    texts = on.texts(being, ASKED, limit=50)
    assert len(texts) == len(set(texts)) == 2


def test_all_windows_of_a_message_go_with_it(on, store, being, windows_of):
    erased, retracted, _ = on.tell(being, long_text(), long_text("The cellar was flooded."), "Short.")
    on.settle(being)
    assert windows_of()[1] == 3

    with store.transaction() as tx:
        retraction.erase(tx, being.being_id, [erased])
        retraction.retract(tx, being.being_id, [retracted])

    assert windows_of() == (1, 1)


def test_windows_of_one_long_text_do_not_keep_others_from_being_found(on, being, most_nominated):
    most_nominated(3)
    same = "The ferry to the island was cancelled because of the storm."
    on.tell(being, " ".join(f"{number}. {same}" for number in range(60)), "No boat went out today.", "Soup for lunch.")
    on.settle(being)

    assert "No boat went out today." in on.texts(being, "The ferry to the island was cancelled because of the storm.")


def test_a_long_memory_is_recalled_by_what_its_last_third_means(on, store, user):
    with store.transaction() as tx:
        being = beings.add_being(tx, user.user_id, "long", "Long")
        beings.adopt_model(tx, being.being_id, MINILM)
        being = beings.get_being(tx, being.being_id)
    texts = [long_text(), *OTHERS]
    vectors = embed_whole(on.embedders.wanted, [f"2026-03-02 {text}" for text in texts])
    with store.transaction() as tx:
        ids = remember(tx, being, *(words(text, vector=vector) for text, vector in zip(texts, vectors, strict=True)))
    on.settle(being)

    found = recall(store, on.embedders, being, RecallQuery(ASKED, 3, 0.35), random.Random(1))
    assert [node.node_id for node in found.nodes] == ids[:1]
    (best,) = on.find(being, ASKED, kinds=["node"], limit=1).results
    assert best.id == str(ids[0])

    with store.transaction() as tx:
        nodes.change_state(tx, being.being_id, ids[0], "forget")
    assert recall(store, on.embedders, being, RecallQuery(ASKED, 3, 0.35), random.Random(1)).nodes == []


def test_a_long_fact_is_retrieved_by_what_its_older_statements_mean(on, store, being, know_long_fact):
    fact_id = know_long_fact(being, f"{HIDING_PLACE} {long_text(told='')}")

    (found,) = retrieve(store, on.embedders, on.settings, being, FactQuery(ASKED, 3)).facts

    assert found.fact_id == fact_id
    (best,) = on.find(being, ASKED, kinds=["fact"], limit=1, explain=True).results
    assert best.signals["meaning"].value > 0.35
