"""Texts are cut into as few requests as the limits allow: nothing lost, nothing out of order."""

from itertools import chain, pairwise

from hypothesis import given
from hypothesis import strategies as st

from providers.sdk.openai_embeddings import MAX_INPUTS, MAX_REQUEST_TOKENS, batches
from providers.tokens import estimated_tokens

sizes = st.lists(st.integers(0, 500_000), max_size=12)
crowds = st.integers(0, 3 * MAX_INPUTS).map(lambda count: [3] * count)
texts_of_sizes = st.tuples(sizes, crowds, sizes).map(lambda parts: ["a" * size for size in chain(*parts)])


def within_limits(batch):
    return len(batch) <= MAX_INPUTS and sum(map(estimated_tokens, batch)) <= MAX_REQUEST_TOKENS


@given(texts_of_sizes)
def test_order_is_kept_and_nothing_is_lost(texts):
    assert list(chain.from_iterable(batches(texts))) == texts


@given(texts_of_sizes)
def test_no_request_exceeds_a_limit_except_a_text_that_does_so_alone(texts):
    assert all(within_limits(batch) or len(batch) == 1 for batch in batches(texts))


@given(texts_of_sizes)
def test_no_request_could_have_taken_the_next_text_too(texts):
    assert not any(within_limits([*batch, following[0]]) for batch, following in pairwise(batches(texts)))


@given(st.text())
def test_the_estimate_stays_below_the_safe_bound(text):
    assert 0 < estimated_tokens(text) <= len(text.encode()) + 1
