"""Measures the alignment of a transcript with the conversation that it was taken in from, both of 2,000 lines."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from time import thread_time
from uuid import UUID

from bench.figures import Figure
from memory.proxy.matching.alignment import known_conversation
from memory.proxy.matching.recognition import aligned
from memory.proxy.turns import Turn, turn_of
from schemas.wire.fields import Role
from store.talk.transcripts import PlacedMessage

LINES = 2000
TIMES = 5
LIMIT_MS = 200.0
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
ROLES: tuple[Role, Role] = ("user", "assistant")
# By kind, what the user and the Being say for the nth time.
KINDS = {
    "all equal": ("ok", "ok"),
    "each request “continue”": ("continue", "Chapter {}: the tide came in."),
    "each answer “ok”": ("What of night {}?", "ok"),
    "all different": ("What of night {}?", "Chapter {}: the tide came in."),
}


def alignment() -> Iterator[Figure]:
    """The least processor time of some runs, as other programs take the processor and its cache away."""
    for kind, forms in KINDS.items():
        turns = list(_lines(forms))
        messages = _placed(turns)
        texts = {message.message_id: turn.comparable for message, turn in zip(messages, turns, strict=True)}
        took = min(_seconds(turns, messages, texts) for _ in range(TIMES))
        what = f"processor time to align {LINES:,} lines, {kind}"
        yield Figure(what=what, measured=1000 * took, unit="ms", limit=LIMIT_MS, against="the goal")


def _lines(forms: Sequence[str]) -> Iterator[Turn]:
    for number in range(LINES):
        turn = turn_of(ROLES[number % 2], None, forms[number % 2].format(number // 2))
        if turn is not None:
            yield turn


def _placed(turns: Sequence[Turn]) -> list[PlacedMessage]:
    """The lines as they were taken in, each said after the one before it."""
    ids = [UUID(int=number) for number in range(1, len(turns) + 1)]
    return [
        PlacedMessage(id_, before, turn.digest, turn.role, None, BEGAN + timedelta(minutes=number), stands=True)
        for number, (id_, before, turn) in enumerate(zip(ids, [None, *ids], turns, strict=False))
    ]


def _seconds(turns: Sequence[Turn], messages: Sequence[PlacedMessage], texts: Mapping[UUID, str]) -> float:
    began = thread_time()
    if not aligned(turns, known_conversation(messages), lambda ids: {id_: texts[id_] for id_ in ids}):
        raise RuntimeError("The transcript was not aligned.")
    return thread_time() - began
