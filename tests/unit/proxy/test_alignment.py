"""The alignment has the most evidence that any sequence of matches has, and takes steps by turns times messages."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from uuid import UUID

import pytest

from memory.proxy.matching import recognition
from memory.proxy.matching.alignment import align, known_conversation
from memory.proxy.matching.recognition import aligned
from memory.proxy.reading.turns import turn_of
from memory.proxy.taking.changes import changes_of
from memory.text.same_words import LONG
from store.talk.transcripts import PlacedMessage
from tests.documents.steps import lines_run

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
WORDS = [
    ("user", "ok"),
    ("assistant", "ok"),
    ("user", "hm"),
    ("assistant", "An answer of more than a few words, I say."),
]


def placed(number, parent, said, *, stands=True):
    turn = turn_of(*said[:1], None, said[1])
    at = NOON + timedelta(minutes=number)
    id_ = UUID(int=number + 1)
    return PlacedMessage(id_, parent and parent.message_id, turn.digest, turn.role, None, at, stands)


def chain(lines, *, stands=True):
    messages = []
    for number, said in enumerate(lines):
        messages.append(placed(number, messages[-1] if messages else None, said, stands=stands))
    return messages


def turns_of(lines):
    return [turn_of(role, None, text) for role, text in lines]


def sequences(turns, known):
    """All sequences of matches, by trying them."""

    def behind(found):
        yield found
        first = found[-1][0] + 1 if found else 0
        for turn in range(first, len(turns)):
            for message in known.by_digest.get(turns[turn].digest, ()):
                if not found or found[-1][1] in known.way_to(message):
                    yield from behind([*found, (turn, message)])

    return (found for found in behind([]) if found)


def precedence(turns, known, found):
    last_turn, last = found[-1]
    even = [
        (turn - before_turn - 1, len(known.between(before, message)))
        for (before_turn, before), (turn, message) in pairwise(found)
    ]
    return (
        sum(min(len(turns[turn].comparable), LONG) for turn, _ in found),
        sum(message.stands for _, message in found),
        -last_turn,
        sum(apart == (0, 0) for apart in even),
        sum(apart[0] == apart[1] for apart in even),
        last.message_id,
    )


@pytest.mark.parametrize("seed", range(150))
def test_no_sequence_takes_precedence_over_the_alignment(seed):
    random = Random(seed)
    messages = []
    for number in range(random.randrange(1, 8)):
        parent = None if not messages or random.random() < 0.1 else random.choice([*messages, messages[-1]])
        messages.append(placed(number, parent, random.choice(WORDS), stands=random.random() < 0.8))
    turns = turns_of(random.choices(WORDS, k=random.randrange(1, 7)))
    known = known_conversation(messages)

    best = max((precedence(turns, known, found) for found in sequences(turns, known)), default=None)
    matches = [(match.turn, match.message) for match in align(turns, known)]

    assert (precedence(turns, known, matches) if matches else None) == best


def exchanges(count, user, answer):
    return [("assistant", answer(number)) if number % 2 else ("user", user(number)) for number in range(count)]


def ok(_):
    return "ok"


KINDS = {
    "one line": lambda n: ([("user", "ok")] * n,) * 2,
    "one exchange": lambda n: (exchanges(n, ok, ok),) * 2,
    "one request": lambda n: (exchanges(n, ok, "answer {}".format),) * 2,
    "one answer": lambda n: (exchanges(n, "question {}".format, ok),) * 2,
    "other lines": lambda n: (exchanges(n, "question {}".format, "answer {}".format),) * 2,
    "backwards": lambda n: (exchanges(n, ok, "answer {}".format), exchanges(n, ok, "answer {}".format)[::-1]),
    "other answers": lambda n: (exchanges(n, ok, "answer {}".format), exchanges(n, ok, "another {}".format)),
    "edited": lambda n: (exchanges(n, "q {}".format, "answer {}".format), exchanges(n, "Q {}".format, "an {}".format)),
    "edited behind the first": lambda n: (
        [("user", "Hello."), *exchanges(n, "q {}".format, "answer {}".format)[1:]],
        [("user", "Hello."), *exchanges(n, "Q {}".format, "an {}".format)[1:]],
    ),
    "cut off": lambda n: (exchanges(n, "q {}".format, "a {} of".format), exchanges(n, "q {}".format, "a {}".format)),
    "other speakers": lambda n: (
        [("user", f"q {one}") for one in range(n)],
        [("assistant", f"{one}") for one in range(n)],
    ),
}


def trees(lines):
    """The conversation as it was said; retracted; and with each answer beside many others."""
    yield chain(lines)
    yield chain(lines, stands=False)
    messages = chain(lines)
    parents = [one for one in messages if one.role == "user"][:1]
    yield (
        [*messages, *(placed(len(messages) + one, parents[0], ("assistant", f"a {one}")) for one in range(len(lines)))]
        if parents
        else messages
    )


def whole(turns, messages, texts):
    known = known_conversation(messages)
    matches = aligned(turns, known, lambda ids: {id_: texts[id_] for id_ in ids})
    changes_of(turns, matches or [], known, certain=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tree", range(3), ids=["as said", "retracted", "many answers"])
def test_twice_the_lines_take_twice_the_lines_of_code(kind, tree):
    def run(count):
        known, shown = KINDS[kind](count)
        messages = list(trees(known))[tree]
        texts = {one.message_id: known[place][1] if place < len(known) else "a" for place, one in enumerate(messages)}
        return lines_run(lambda: whole(turns_of(shown), messages, texts))

    # What is left of the square is in operations on whole rows of numbers.
    assert run(160) < 2.25 * run(80)


def test_a_conversation_is_not_aligned_beyond_the_budget_of_steps(monkeypatch):
    lines = exchanges(10, ok, ok)
    monkeypatch.setattr(recognition, "STEPS", 99)

    assert aligned(turns_of(lines), known_conversation(chain(lines)), lambda _: {}) is None
    monkeypatch.setattr(recognition, "STEPS", 100)
    assert len(aligned(turns_of(lines), known_conversation(chain(lines)), lambda _: {})) == len(lines)
