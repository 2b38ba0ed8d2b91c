"""A refused batch is halved until each refused text stands alone; its neighbours keep their vectors."""

from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.embedding import embed_each
from providers.errors import InputRefused, Transient

batches_with_refused = st.integers(1, 200).flatmap(
    lambda count: st.tuples(st.just(count), st.sets(st.integers(0, count - 1), max_size=5))
)


class Picky:
    """Embeds a number as itself, and refuses a batch with a forbidden one."""

    model = "picky"
    dimensions = 1

    def __init__(self, refused):
        self.refused = refused
        self.requests = 0

    def embed(self, texts):
        """Refuse all for one."""
        self.requests += 1
        if self.refused & {int(text) for text in texts}:
            raise InputRefused("A forbidden number.")
        return np.array([[float(text)] for text in texts], np.float32)


class Busy(Picky):
    """Is out of reach."""

    def embed(self, texts):  # noqa: ARG002 - an embedder's signature
        """Never answer."""
        raise Transient("Out of reach.")


@given(batches_with_refused)
def test_exactly_the_refused_texts_are_set_apart(case):
    count, refused = case
    answers = embed_each(Picky(refused), [str(number) for number in range(count)])
    assert {position for position, answer in enumerate(answers) if isinstance(answer, InputRefused)} == refused
    assert all(answer == [position] for position, answer in enumerate(answers) if position not in refused)


@given(batches_with_refused)
def test_each_refused_text_costs_a_logarithm_of_requests(case):
    count, refused = case
    picky = Picky(refused)
    embed_each(picky, [str(number) for number in range(count)])
    assert picky.requests <= 1 + 2 * len(refused) * ceil(log2(count) if count > 1 else 0)


def test_no_texts_ask_for_nothing():
    picky = Picky(set())
    assert embed_each(picky, []) == []
    assert picky.requests == 0


def test_any_other_error_is_raised():
    with pytest.raises(Transient):
        embed_each(Busy(set()), ["1", "2"])
