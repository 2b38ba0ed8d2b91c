"""How a field of a model's answer is read where the model writes it in another form or leaves it out.

These marks stand in `Annotated` and do not change the schema that the model is shown;
`providers/answers/answer_reader.py` follows them.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict


class FromModel(BaseModel):
    """Part of a model's answer, read by `providers/answers/answer_reader.py`."""

    model_config = ConfigDict(extra="ignore", frozen=True)


@dataclass(frozen=True, slots=True)
class Ref:
    """The field is a reference from the prompt, such as `m1`, which models also write as `1`, `M1` or `[m1]`.

    Attributes:
        letter: The letter before the number where the model leaves it out.
        each: Whether an item that names several here applies to each of them.
    """

    letter: str
    each: bool = False


@dataclass(frozen=True, slots=True)
class ExactFieldName:
    """The field is never read from one of an unlike name, as others are: the items that it lists are removed."""


@dataclass(frozen=True, slots=True)
class DroppedIfUnsure:
    """An item with this field merges or replaces memory, and is dropped if a value beside its fields doubts it."""


@dataclass(frozen=True, slots=True)
class WhenAbsent:
    """The meaning of a field that is left out, null, or not of its type; and in a list of an unreadable item."""

    means: Any


@dataclass(frozen=True, slots=True)
class FirstItems:
    """A list keeps its first `items` items."""

    items: int


@dataclass(frozen=True, slots=True)
class CutAtCharacters:
    """A text has at most `most` characters, and is cut at a sentence.

    Attributes:
        most: The most characters.
        at_once: Whether it is cut in the first answer: for items that are checked one by one, of which no other is
            asked for. Otherwise the rules refuse it at first, and it is cut in the answers after the complaint.
    """

    most: int
    at_once: bool = False
