"""Who shows wrong tokens again and again waits longer each time; nobody else waits, and it is forgiven."""

from api.guessing import FORGIVEN_SECONDS, FREE, LONGEST_SECONDS, REMEMBERED, Guesses


class Clock:
    """A clock that is moved by hand."""

    now = 1000.0

    def __call__(self):
        return self.now


def test_a_few_mistakes_cost_nothing_and_many_ever_more():
    guesses = Guesses(Clock())
    waits = [guesses.wrong("here") for _ in range(FREE + 12)]
    assert waits[:FREE] == [0.0] * FREE
    assert waits[FREE] > 0
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_SECONDS
    assert guesses.wrong("there") == 0.0


def test_it_is_forgiven_after_a_while():
    clock = Clock()
    guesses = Guesses(clock)
    for _ in range(FREE + 3):
        guesses.wrong("here")
    clock.now += FORGIVEN_SECONDS + 1
    assert guesses.wrong("here") == 0.0


def test_so_many_addresses_are_remembered_and_no_more():
    guesses = Guesses(Clock())
    for _ in range(FREE):
        guesses.wrong("first")
    for number in range(REMEMBERED):
        guesses.wrong(f"address {number}")
    assert guesses.wrong("first") == 0.0
