"""Reads an answer while a model writes it, from a response of either SDK that was asked for a stream.

What is read is not the SDKs' events but the bytes: a server may send a stream, or the one document that it always does.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Protocol

import httpx2
from pydantic_core import to_json

from providers.chat.answer_so_far import AnswerEvents, AnswerSoFar
from providers.chat.event_stream import DONE, JsonEvents
from providers.completion import Usage
from providers.errors import Transient
from providers.sdk.sdk_errors import SettingNames, error_in

# As of ASCII in `estimated_tokens`.
_BYTES_PER_TOKEN = 3
_BROKE_OFF = "The model provider broke off before it wrote anything."


class Response(Protocol):
    """A response of one of the SDKs."""

    def iter_bytes(self) -> Iterator[bytes]:
        """Yield its body as it comes."""


@dataclass
class StreamedAnswer:
    """An answer that is being written.

    Attributes:
        so_far: What was written.
        reason: Why it ended, in the word of its wire; None: it has not, or it broke off.
        refused: Whether the model declined.
    """

    so_far: AnswerSoFar
    reason: str | None = None
    refused: bool = False

    @property
    def text(self) -> str:
        """The text so far, as Postgres can hold it."""
        return self.so_far.text.replace("\0", "\ufffd")

    def usage(self, most: Usage) -> Usage:
        """Tell what was used: as it was reported, else the prompt as in `most`, and the answer by its length."""
        reported = self.so_far.usage
        # What the model thought is written too.
        written = self.so_far.came // _BYTES_PER_TOKEN + 1
        if reported is None:
            return replace(most, output_tokens=written)
        if self.reason is None:
            # An answer that has begun reports its prompt, and hardly any of what follows.
            return replace(reported, output_tokens=max(reported.output_tokens, written))
        return reported

    def take(self, event: dict[str, Any]) -> None:
        """Read why the answer ended, and whether the model declined."""
        match event:
            case {"choices": [dict() as choice, *_]}:
                self.reason = choice.get("finish_reason") or self.reason
                said = choice.get("delta") or choice.get("message")
                self.refused = self.refused or (isinstance(said, dict) and bool(said.get("refusal")))
            case {"type": "message_delta", "delta": {"stop_reason": str(reason)}} | {"stop_reason": str(reason)}:
                self.reason = reason


def streamed(response: Response, events: AnswerEvents, names: SettingNames, seconds: float) -> Iterator[StreamedAnswer]:
    """Read an answer while it is written, for so many seconds at most.

    Returns:
        The answer whenever an object in it may have ended, and again at its end, or where it broke off.

    Raises:
        ProviderError: The provider could not answer, and has written nothing.
    """
    objects, answer = JsonEvents(), StreamedAnswer(AnswerSoFar())
    until = monotonic() + seconds
    try:
        for chunk in response.iter_bytes():
            before = len(answer.so_far.text)
            if not _takes_all(objects.feed(chunk), answer, events, names) or monotonic() > until:
                break
            if "}" in answer.so_far.text[before:]:
                yield answer
        else:
            _takes_all(objects.end(), answer, events, names)
    except (httpx2.TransportError, httpx2.DecodingError):
        if not answer.so_far.came:
            raise Transient(_BROKE_OFF, perhaps_paid=True) from None
    yield answer


def _takes_all(found: Iterator[Any], answer: StreamedAnswer, events: AnswerEvents, names: SettingNames) -> bool:
    """Read events; returns whether the answer goes on, which an error ends."""
    for event in found:
        if event == DONE:
            events.ended()
            continue
        if event.get("error") and (error := error_in(to_json(event), names)):
            if not answer.so_far.came:
                raise error
            return False
        events.take(event, answer.so_far)
        answer.take(event)
    return True
