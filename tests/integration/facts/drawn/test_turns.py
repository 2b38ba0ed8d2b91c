"""The corpus: every turn goes the whole way, from the door through a model's answer to what is known."""

from contextlib import closing

import pytest

from providers.thinkers import Thinkers
from store.database import Store
from tests.conversations import judging_at_once
from tests.fakes.provider import running_provider
from tests.integration.facts.drawn.turns import TURNS


# Each turn has a user of its own, and shares everything else.
@pytest.fixture(scope="module")
def store(new_database):
    with new_database() as url, Store(url, connections=4) as opened:
        yield opened


@pytest.fixture(scope="module")
def provider():
    with running_provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def settings(provider):
    return judging_at_once(provider)


@pytest.fixture(scope="module")
def thinkers(settings):
    with closing(Thinkers(settings)) as made:
        yield made


@pytest.mark.parametrize("turn", [pytest.param(turn, id=name) for name, turn in TURNS.items()])
def test_what_comes_of_a_turn(talk, turn):
    talk.says(*turn.said)
    talk.answers(*turn.facts, todos=turn.todos)
    talk.judged()
    assert tuple(talk.contents()) == turn.knows
    assert tuple(open_.content for open_ in talk.todos()) == turn.means
    assert talk.dropped() == turn.dropped
    assert talk.unjudged() == 0
    # Whatever was dropped leaves no trace: each fact rests on words that were said.
    said = " ".join(" ".join((one if isinstance(one, str) else one["content"]).split()) for one in turn.said)
    with talk.store.transaction() as tx:
        query = "select span from memory.fact_evidence where user_id = %s"
        spans = [row["span"] for row in tx.execute(query, [talk.being.user_id])]
    assert len(spans) >= len(turn.knows)
    assert all(" ".join(span.split()) in said for span in spans)


def test_the_corpus_is_large_enough():
    assert len(TURNS) >= 60
