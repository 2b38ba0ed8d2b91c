"""The part that the bodies of all wires have in common: the model, the limits of the answer, and the stream."""

from dataclasses import dataclass
from typing import Any, ClassVar

from memory.proxy.wires.answer_limits import STREAM, AnswerLimits
from memory.proxy.wires.json_body import OFF_THE_RECORD, JsonBody


@dataclass(frozen=True)
class BoundedBody:
    """The body of a request whose fields bound its answer.

    Attributes:
        body: Its JSON.
        limits: The fields of the wire that bound an answer.
    """

    body: JsonBody
    limits: ClassVar[AnswerLimits]

    @property
    def model(self) -> str:
        """The model, as the client names it."""
        return self.body.model

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
