"""Refusals of invalid tokens from one address are delayed ever longer; other addresses are not delayed."""

from api.http.access.auth_throttle import FORGIVEN_SECONDS, FREE, LONGEST_SECONDS, MOST_ADDRESSES, InvalidTokens


class Clock:
    """A clock that the test moves."""

    now = 1000.0

    def __call__(self):
        return self.now


def test_a_few_invalid_tokens_are_not_delayed_and_many_ever_longer():
    tokens = InvalidTokens(Clock())
    waits = [tokens.delay("here") for _ in range(FREE + 12)]
    assert waits[:FREE] == [0.0] * FREE
    assert waits[FREE] > 0
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_SECONDS
    assert tokens.delay("there") == 0.0


def test_the_count_ends_after_a_while():
    clock = Clock()
    tokens = InvalidTokens(clock)
    for _ in range(FREE + 3):
        tokens.delay("here")
    clock.now += FORGIVEN_SECONDS + 1
    assert tokens.delay("here") == 0.0


def test_the_number_of_counted_addresses_is_bounded():
    tokens = InvalidTokens(Clock())
    for _ in range(FREE):
        tokens.delay("first")
    for number in range(MOST_ADDRESSES):
        tokens.delay(f"address {number}")
    assert tokens.delay("first") == 0.0
