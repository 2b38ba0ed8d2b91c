"""A person's words in a group are handed to each Being in it by the frontend, and are one telling."""

import pytest

from tests.conversations import fact
from tests.frontends import Door


@pytest.fixture
def doors(talk, other):
    return Door(talk.store, talk.being, talk.settings), Door(other.store, other.being, other.settings)


def hear(talk, door, words):
    door.asks(words)
    talk.answers(fact(words, words))
    talk.judged()


def told(talk):
    (known,) = talk.facts()
    return known.mentions, known.sessions


def test_words_that_several_beings_hear_at_once_are_told_once(doors, talk, other):
    hear(talk, doors[0], "I love tea.")
    hear(other, doors[1], "I love tea.")

    assert told(talk) == (1, 1)


def test_the_same_words_another_time_are_told_again(doors, talk, other, clock):
    hear(talk, doors[0], "I love tea.")
    clock.advance(hours=1)
    hear(other, doors[1], "I love tea.")

    assert told(talk) == (2, 2)
