"""How a field of a scene is used, declared beside its type and description in `schemas.intake.inputs`."""

from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Field

from schemas.wire.fields import Words

MergeRule = Literal[
    "proposed", "proposed or first", "chosen", "history", "most important", "united", "survivor", "weighted mean"
]
"""The value that a survivor of a merge gets: what the model proposes (else the first that a node has); what it chose of
what the nodes have; all dated lines; the survivor's own, else that of the most important node that has one; all items,
once each; the survivor's own alone; the mean weighted by importance."""
FIRST_VERSION = 1


@dataclass(frozen=True)
class Line:
    """A part of the line that people and models read.

    Attributes:
        place: Parts stand in the order of their places.
        form: The text around it.
        first: Whether only the first item of a list is shown.
    """

    place: int
    form: str = "{}"
    first: bool = False


@dataclass(frozen=True)
class SceneField:
    """The uses of a field of a scene.

    Attributes:
        since: The version of scenes that it came with. The hash of a note leaves out a field of a later version than
            the first where it has its default, so that stored notes keep their hashes.
        merge: The rule by which a survivor of a merge gets its value.
        embedded: Its place in the embedded text; None: it is not embedded.
        line: Its part of the line that is shown; None: it has none.
        searched: Whether a search to the letter finds its words (`words_of_node` in SQL).
        most_merged: How many items a survivor keeps; None: all.
        most_in_prompts: How many of its newest items a prompt shows; None: all, 0: it is not shown.
    """

    since: int
    merge: MergeRule
    embedded: int | None = None
    line: Line | None = None
    searched: bool = False
    most_merged: int | None = None
    most_in_prompts: int | None = None


def declared(model: type[BaseModel]) -> dict[str, SceneField]:
    """Return the declaration of each field of a model.

    Raises:
        TypeError: A field has none.
    """
    found = {
        name: next((one for one in field.metadata if isinstance(one, SceneField)), None)
        for name, field in model.model_fields.items()
    }
    if missing := [name for name, one in found.items() if one is None]:
        raise TypeError(f"{model.__name__}: no SceneField says how {', '.join(missing)} is merged and shown")
    return {name: one for name, one in found.items() if one is not None}


def corrections(model: type[BaseModel]) -> dict[str, Any]:
    """Return the fields by which those of a model are corrected, as `create_model` takes them.

    Each is of the same kind as the model's, may be omitted or null, and takes no blank text.
    """
    return {
        name: (_given(field.annotation) | None, Field(None, description=field.description))
        for name, field in model.model_fields.items()
    }


def _given(kind: Any) -> Any:
    """Return the type of a value other than null, without lenient readers, and with words in place of text."""
    if kind is str:
        return Words
    parts = get_args(kind)
    if get_origin(kind) is Annotated:
        return _given(parts[0])
    if get_origin(kind) in {UnionType, Union}:
        return Union[tuple(_given(each) for each in parts if each is not NoneType)]  # noqa: UP007  # of types that are only known here
    return list[_given(parts[0])] if get_origin(kind) is list else kind  # type: ignore[misc]  # likewise
