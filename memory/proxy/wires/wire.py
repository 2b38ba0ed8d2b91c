"""The protocol of a wire: the reading of its requests and answers, and the place of memory in them.

All else (authentication, payment, the alignment of transcripts, the relay of bytes) is the same on each wire.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from memory.proxy.reading.transcript import Transcript
from memory.proxy.wires.answer_limits import STREAM, AnswerLimits
from memory.proxy.wires.json_body import OFF_THE_RECORD, Change, JsonBody
from providers.chat.answer_so_far import AnswerEvents
from schemas.proxy.upstreams import WireName


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory that goes into a request.

    Attributes:
        stable: The part with the same bytes from turn to turn.
        varying: The part that depends on the last message.
    """

    stable: str = ""
    varying: str = ""

    @property
    def whole(self) -> str:
        """Both parts, the stable one first."""
        return "\n\n".join(part for part in (self.stable, self.varying) if part)

    def __bool__(self) -> bool:
        return bool(self.stable or self.varying)


@dataclass(frozen=True)
class RequestBody(ABC):
    """The body of a request.

    Attributes:
        body: Its JSON.
        prompt_bytes: The size of the text in UTF-8, without the data of pictures.
        media: How many parts are no text: pictures, sounds, files, and unknown ones.
        asks_usage: Whether a stream is asked for its usage though the client did not: not all servers know that.
        limits: The fields of the wire that bound an answer.
    """

    body: JsonBody
    prompt_bytes: int
    media: int
    asks_usage: bool = field(default=True, kw_only=True)
    limits: ClassVar[AnswerLimits]

    @property
    @abstractmethod
    def transcript(self) -> Transcript:
        """The transcript that the client sends."""

    @property
    def model(self) -> str:
        """The model, as the client names it."""
        return self.body.model

    @property
    def choices(self) -> int:
        """How many answers are requested."""
        return 1

    @property
    def hides_usage(self) -> bool:
        """Whether the stream is asked for its usage though the client did not, so that it is taken out."""
        return False

    @property
    def prediction_bytes(self) -> int:
        """The size of the answer that the request predicts."""
        return 0

    @property
    def continues(self) -> str | None:
        """The id of the answer that it goes on from; None if it shows its transcript itself."""
        return None

    @property
    def conversation(self) -> str | None:
        """The id of the conversation that the server keeps; None if it keeps none."""
        return None

    @property
    def answer_limit(self) -> int | None:
        """The request's own limit of one answer, in tokens; None if it has none."""
        return self.limits.limit(self.body.fields)

    @property
    def surcharge(self) -> str | None:
        """The name of a field by which the request may cost more than its model's price says; None: it has none."""
        return self.limits.surcharge(self.body.fields)

    @property
    def off_the_record(self) -> bool:
        """Whether the request is marked as off the record."""
        return self.body.fields.get(OFF_THE_RECORD) is True

    @property
    def is_stream(self) -> bool:
        """Whether a stream is requested."""
        return self.body.fields.get(STREAM) is True

    def fields_for(self, model: str, limit: tuple[str, int] | None) -> dict[str, Any]:
        """The fields that change for an upstream: the model's name there, and a limit of the answer if it has none."""
        fields: dict[str, Any] = {} if model == self.model else {"model": model}
        if limit is not None and self.answer_limit is None:
            fields |= self.limits.limited(self.body.fields, *limit)
        return fields

    def written(self, model: str, memory: Memory | None, limit: tuple[str, int] | None = None) -> bytes:
        """Return the body with another model, with memory, and with a limit of the answer if it has none.

        Args:
            model: The name of the model at the upstream.
            memory: The recalled memory; None: nothing is added.
            limit: The field in which the server reads a limit, and the limit in tokens; None: nothing is added.
        """
        fields = self.fields_for(model, limit)
        remembering, changes = self.with_memory(memory) if memory else ({}, [])
        return self.body.written([*self.body.with_fields(fields | remembering), *changes])

    @abstractmethod
    def with_memory(self, memory: Memory) -> tuple[dict[str, Any], list[Change]]:
        """Return the fields that memory replaces whole, and its changes within other fields."""


@dataclass(frozen=True)
class Wire:
    """A wire.

    Attributes:
        name: Its name in the settings.
        path: The path of its requests, behind an upstream's base URL.
        title: Its provider's name for it.
        read: Reads a body; raises as `json_body.read_body`.
        events: Makes a reader of an answer's events.
        limit_field: The field in which its servers read the most tokens of an answer; None: the upstream says.
        query: The names in the query of a request that are passed on.
    """

    name: WireName
    path: str
    title: str
    read: Callable[[str], RequestBody]
    events: Callable[[], AnswerEvents]
    limit_field: str | None = None
    query: frozenset[str] = frozenset()
