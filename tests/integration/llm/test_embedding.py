"""Embedding requests are accounted for like model calls, within the same budget."""

import random

import pytest

from memory.intake.messages import accept_messages
from memory.nodes.creation import vectors_of
from memory.nodes.recall import RecallQuery, recall
from memory.search import embedding
from providers.embedders import Embedders
from providers.errors import Transient
from providers.metering import RequestOwner, on_behalf_of
from schemas.errors import BudgetSpent
from schemas.settings import Settings
from store.accounts import beings
from store.ledger import work
from store.search import queue
from tests.fakes.provider import Behaviour
from tests.models.indexed import LEASE, index
from tests.scenes import make_user
from workers.runtime.usage_meter import AccountsMeter

LONG = "The oven failed again, and nobody knew why. " * 10
TEXTS = ["The oven failed.", "They walked by the sea."]


@pytest.fixture
def being(store):
    with store.transaction() as tx:
        return beings.add_being(tx, make_user(tx).user_id, "mizzen", "Mizzen")


@pytest.fixture
def settings(provider):
    return Settings(embedder="openai", openai_base_url=provider.openai_url, openai_embedding_dimensions=64)


@pytest.fixture
def meter(store, settings):
    return AccountsMeter(store, settings)


@pytest.fixture
def embedders(settings, meter):
    return Embedders(settings, meter)


@pytest.fixture
def embed(store, being, embedders):
    """Embed texts on behalf of a unit of work."""

    def done():
        with on_behalf_of(RequestOwner(being.being_id, "embed", "patrol.embed", "1")):
            return vectors_of(store, embedders.wanted, being.being_id, TEXTS)

    return done


def test_a_request_is_in_the_accounts_with_what_it_had(embed, being, accounts):
    embed()
    embed()
    (call,) = accounts()

    assert (call["being_id"], call["kind"], call["purpose"]) == (being.being_id, "patrol.embed", "embed")
    assert (call["provider"], call["model"], call["paid_with"]) == ("openai", "text-embedding-3-small", "platform")
    assert call["outcome"] == "answered"
    assert call["input_tokens"] == sum((len(text) + 3) // 4 for text in TEXTS)
    assert 0 < call["cost"] < call["input_tokens"]


def test_a_request_that_fails_costs_nothing(embed, provider, accounts):
    provider.script(Behaviour(do="fail", status=503))
    with pytest.raises(Transient):
        embed()

    assert [(call["outcome"], call["cost"], call["input_tokens"]) for call in accounts()] == [("failed", 0, 0)]


def test_a_spent_budget_lets_embedding_wait_and_recall_go_by_words(embed, being, embedders, store, provider, accounts):
    with store.transaction() as tx:
        beings.change_being(tx, being.being_id, {"daily_tokens": 0})
    with pytest.raises(BudgetSpent) as caught:
        embed()
    found = recall(store, embedders, being, RecallQuery("oven", 3, 0.35), random.Random(1))

    assert 0 < caught.value.retry_after <= 24 * 3600
    assert found.degraded
    assert provider.requests == accounts() == []


def test_a_recall_is_accounted_for_by_its_being(being, embedders, store, accounts):
    recall(store, embedders, being, RecallQuery("oven", 3, 0.35), random.Random(1))

    assert [(call["being_id"], call["purpose"], call["kind"]) for call in accounts()] == [
        (being.being_id, "recall", None)
    ]


def test_what_was_told_is_embedded_by_the_tick_on_behalf_of_its_being(store, being, embedders, accounts):
    tell(store, being)
    embedding.embed_waiting(store, embedders, LEASE)

    with store.transaction() as tx:
        assert queue.unindexed(tx, [being.being_id], ["message"]) == 0
    (call,) = accounts()
    assert (call["being_id"], call["kind"], call["outcome"]) == (being.being_id, "upkeep.embed_told", "answered")


def test_what_a_day_has_room_for_is_embedded_of_more_than_that(store, being, embedders, accounts):
    with store.transaction() as tx:
        beings.change_being(tx, being.being_id, {"daily_tokens": 3 * len(LONG) // 2})
    tell(store, being, *(f"{number} {LONG}" for number in range(12)))
    embedding.embed_waiting(store, embedders, LEASE)

    with store.transaction() as tx:
        assert 0 < queue.unindexed(tx, [being.being_id], ["message"]) < 12
    assert {call["outcome"] for call in accounts()} == {"answered"}


def test_what_the_tick_fails_at_goes_to_a_task_at_once(store, sent, being, embedders, provider):
    tell(store, being)
    sent.clear()
    provider.script(Behaviour(do="fail", status=503))
    embedding.embed_waiting(store, embedders, LEASE)

    with store.transaction() as tx:
        (unit,) = work.listed(tx, [being.being_id], state="ready", limit=10)
    assert (unit.kind, unit.attempts, unit.lease_until) == ("upkeep.embed_told", 0, None)
    assert [message.kind for message in sent] == ["upkeep.embed_told"]


def tell(store, being, *texts):
    """Tell the Being something, and index it."""
    items = [{"role": "user", "content": text} for text in texts or TEXTS[:1]]
    accept_messages(store, Settings(thinker="none"), being.being_id, items)
    index(store, being.being_id)
