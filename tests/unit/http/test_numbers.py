"""No answer shows a number with the noise of binary arithmetic."""

from collections.abc import Iterator
from types import UnionType
from typing import Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel, TypeAdapter

from api.app import create_app
from schemas.rows import Row
from schemas.settings import Settings
from schemas.wire.answers import Answer
from schemas.wire.numbers import Number, Report, rounded

NOISE = 0.12 + 0.05


def bare_numbers(type_: Any, place: str, seen: set[Any]) -> Iterator[str]:
    """The places of a type in which a float is serialized with all its digits."""
    if isinstance(type_, type) and issubclass(type_, BaseModel) and type_ not in seen:
        seen.add(type_)
        for name, field in type_.model_fields.items():
            if any(getattr(each, "func", None) is rounded for each in field.metadata):
                continue
            yield from bare_numbers(field.annotation, f"{type_.__name__}.{name}", seen)
    elif type_ is float:
        yield place
    elif any(getattr(each, "func", None) is rounded for each in getattr(type_, "__metadata__", ())):
        return
    elif get_origin(type_) is not None or isinstance(type_, UnionType | type(Union[int, str])):  # noqa: UP007
        for part in get_args(type_):
            yield from bare_numbers(part, place, seen)


def subclasses(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for each in model.__subclasses__():
        yield each
        yield from subclasses(each)


def test_every_number_of_an_answer_is_rounded():
    create_app(Settings())  # it imports the schemas of all routes
    seen: set[Any] = set()
    answers = [*subclasses(Answer), *subclasses(Row)]
    assert not [place for answer in answers for place in bare_numbers(answer, answer.__name__, seen)]
    assert len(seen) > 60


@pytest.mark.parametrize(
    ("type_", "value", "shown"),
    [
        (Number, NOISE, b"0.17"),
        (Number | None, 1e-12 / 3, b"3.33333333e-13"),
        (list[Number | None], [NOISE, None], b"[0.17,null]"),
        (Report, {"before": [NOISE], "name": "x", "n": 3}, b'{"before":[0.17],"name":"x","n":3}'),
    ],
)
def test_a_number_is_shown_without_noise(type_, value, shown):
    assert TypeAdapter(type_).dump_json(value) == shown
    assert TypeAdapter(type_).dump_python(value) == value
