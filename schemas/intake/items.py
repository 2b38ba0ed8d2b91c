"""Items from producers that do not wait for an answer, in the form of a stream's entry."""

from dataclasses import dataclass
from typing import Any, Literal

ItemKind = Literal["notes", "messages"]


@dataclass(frozen=True)
class StreamItem:
    """An item of a stream entry.

    Attributes:
        kind: Notes or messages.
        item: The item without its `being` or `room`.
        derived_id: Its id, unless it has a producer's id.
    """

    kind: ItemKind
    item: Any
    derived_id: str
