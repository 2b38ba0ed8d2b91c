"""The context for the reply to a transcript: when it is handed over, and by which vector it was found."""

import pytest

from memory.context.rag_context import EarlyVector, embed_early
from memory.proxy.insertion import context_to_insert
from tests.frontends import Door

SAID = "My sister Ingeborg moves to Bergen in May."


@pytest.fixture
def door(store, being):
    return Door(store, being)


def inserted(door, taken, embedders, embedded, told):
    context_to_insert(door.store, embedders, door.settings, door.being, taken, embedded=embedded, report=told)


def receipts(door):
    with door.store.transaction() as tx:
        return tx.execute(
            "select from memory.receipts where being_id = %s and process = 'chatFrontend'", [door.being.being_id]
        ).rowcount


def test_what_a_context_shows_is_recorded_before_it_is_handed_over(door):
    taken, told = door.asks(SAID), []

    inserted(door, taken, door.embedders, lambda: None, lambda memory: told.append((memory, receipts(door))))

    ((memory, recorded),) = told
    assert "<instructions" in memory.stable
    assert recorded == 1


def test_a_vector_of_the_same_words_and_model_is_used(door):
    taken, told = door.asks(SAID), []
    early = embed_early(door.embedders, door.being, SAID)

    # Without an embedder there would be none.
    inserted(door, taken, None, lambda: early, told.append)
    assert len(told) == 1
    with pytest.raises(AttributeError):
        inserted(door, taken, None, lambda: EarlyVector("Mira: " + SAID, early.model, early.vectors), told.append)
    with pytest.raises(AttributeError):
        inserted(door, taken, None, lambda: EarlyVector(SAID, "another", early.vectors), told.append)
