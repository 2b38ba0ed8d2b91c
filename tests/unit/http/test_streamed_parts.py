"""The stream of an answer ends its parts, which ends the model's call, however the client leaves."""

import asyncio
import threading

import pytest

from api.asking.stream import _events
from schemas.context.asking import Sentence

FIRST, SECOND = (Sentence(sentence=text, cites=[]) for text in ("Nora moved.", "Bram stayed."))


class Parts:
    """Parts of an answer, of which the second comes when it is released."""

    def __init__(self):
        self.begun, self.released, self.ended = threading.Event(), threading.Event(), threading.Event()

    def __call__(self):
        try:
            self.begun.set()
            self.released.wait(30)
            yield SECOND
            yield SECOND
        finally:
            self.ended.set()


@pytest.fixture
def parts():
    return Parts()


def test_a_client_that_leaves_between_two_sentences_ends_the_answer(parts):
    async def leaving():
        events = _events(FIRST, parts(), {})
        parts.released.set()
        assert b"Nora" in await anext(events)
        assert b"Bram" in await anext(events)
        await events.aclose()

    asyncio.run(leaving())
    assert parts.ended.is_set()


def test_a_client_that_leaves_while_a_sentence_is_written_ends_the_answer_after_it(parts):
    async def leaving():
        events = _events(FIRST, parts(), {})
        await anext(events)
        waiting = asyncio.ensure_future(anext(events))
        await asyncio.to_thread(parts.begun.wait, 30)
        waiting.cancel()
        parts.released.set()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(leaving())
    assert parts.ended.wait(30)
