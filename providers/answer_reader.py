"""Reads a model's JSON into the form that was asked for, where it says the same in another form.

Between the JSON and pydantic, the fields of the answer's models decide: names and words of enumerations in any case,
numbers as text, fractions for whole numbers, one item for a list of one, null or nothing for an empty list or an
optional field, references without their letter. Fields that the form does not have are passed over. An item of a list
that can't be read is dropped and counted, and the others stay. What must be there and is not is left to pydantic, whose
complaint the model is shown.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from schemas.llm.answer_form import Absent, AtMost, Ref

_NUMBER = re.compile(r"([-+]?\d+(?:[.,]\d+)?)\s*(%?)")
_NOTHING = frozenset({"", "null", "none", "n/a"})
_YES, _NO = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})
_LONGEST_REFERENCE = 40
# Around a reference: brackets, "ref=", what it refers to.
_REFERENCE = r"\W*(?:ref\W*|message\s*|memory\s*|todo\s*|pair\s*|conversation\s*|statement\s*)?{}[\s_-]*({})\W*"


class _Unreadable(ValueError):
    """A value says nothing in the form of its field; the text is the reason, which is counted."""


class AnswerReader:
    """Reads one answer.

    Args:
        cut: Whether the end of the answer is cut off, so that any list may lack items.

    Attributes:
        dropped: How many items, or values of optional fields, were dropped, by reason.
    """

    def __init__(self, *, cut: bool = False) -> None:
        self.dropped: Counter[str] = Counter(["the end was cut off"] if cut else [])
        self._cut = cut
        self._kept = self._lost = 0

    def read(self, form: type[BaseModel], said: Mapping[str, Any]) -> Mapping[str, Any]:
        """Bring an answer into its form.

        Args:
            form: The answer's class.
            said: The JSON object that the model wrote.

        Returns:
            What `form` can validate. The object as it is if nothing in it could be read, so that the complaint about
            it names what is wrong.
        """
        inner = next(iter(said.values())) if len(said) == 1 else None
        if isinstance(inner, Mapping) and not _named(form, said) and _named(form, inner):
            said = inner
        if not _named(form, said):
            return said
        read = self._fields(form, said, nested=False)
        return said if self._lost and not self._kept else read

    def _fields(self, form: type[BaseModel], said: Mapping[str, Any], *, nested: bool) -> dict[str, Any]:
        written = {_plain(name): value for name, value in said.items()}
        read: dict[str, Any] = {}
        for name, field in form.model_fields.items():
            value = written.get(_plain(name))
            if value is None:
                if (absent := _absent(field, was_named=_plain(name) in written)) is not _REQUIRED:
                    read[name] = absent
                elif nested:
                    raise _Unreadable("a field is missing")
                continue
            try:
                read[name] = self._value(field.annotation, [*field.metadata, _choices(field)], value)
            except _Unreadable as reason:
                absent = _absent(field, was_named=False)
                if absent is _REQUIRED or isinstance(absent, list):
                    if nested:
                        raise
                    read[name] = value
                else:
                    self.dropped[str(reason)] += 1
                    read[name] = absent
        return read

    def _value(self, type_: Any, marks: Sequence[Any], said: Any) -> Any:
        origin = get_origin(type_)
        if origin is Annotated:
            inner, *further = get_args(type_)
            return self._value(inner, [*further, *marks], said)
        if origin in {Union, UnionType}:
            return self._one_of(get_args(type_), marks, said)
        if origin is list:
            return self._items(get_args(type_)[0], marks, said)
        if isinstance(type_, type) and issubclass(type_, BaseModel):
            return self._model(type_, said)
        return _scalar(type_, marks, said)

    def _one_of(self, types: Iterable[Any], marks: Sequence[Any], said: Any) -> Any:
        types = list(types)
        if NoneType in types and (said is None or (isinstance(said, str) and said.strip().casefold() in _NOTHING)):
            return None
        objects = [each for each in types if isinstance(each, type) and issubclass(each, BaseModel)]
        fitting = objects if isinstance(said, Mapping) else [each for each in types if each not in {*objects, NoneType}]
        for each in fitting:
            try:
                return self._value(each, marks, said)
            except _Unreadable:
                continue
        raise _Unreadable("a value of another type")

    def _model(self, form: type[BaseModel], said: Any) -> dict[str, Any]:
        if not isinstance(said, Mapping):
            # A text, or number, for an object of which nothing but the first field must be said.
            said = {next(iter(form.model_fields)): _text(said)}
        read = self._fields(form, said, nested=True)
        try:
            form.model_validate(read)
        except ValidationError:
            raise _Unreadable("a value of another type") from None
        return read

    def _items(self, type_: Any, marks: Sequence[Any], said: Any) -> list[Any]:
        said = said if isinstance(said, list) else [] if _is_nothing(said) else [said]
        # What a list means that is left out, an item means that can't be read, and an end that is cut off.
        absent: list[Any] = next((mark.means for mark in marks if isinstance(mark, Absent)), [])
        read = list(absent) if self._cut else []
        for item in said:
            if _is_nothing(item):
                continue
            try:
                read.append(self._value(type_, (), item))
            except _Unreadable as reason:
                self.dropped[str(reason)] += 1
                self._lost += 1
                read += absent
        self._kept += len(read)
        most = next((mark.items for mark in marks if isinstance(mark, AtMost)), len(read))
        if len(read) > most:
            self.dropped["more items than asked for"] += len(read) - most
        return read[:most]


_REQUIRED = object()


def _absent(field: FieldInfo, *, was_named: bool) -> Any:
    """What a field means without a value; `_REQUIRED` if it must have one."""
    is_list = get_origin(field.annotation) is list
    if was_named and is_list:
        return []
    for mark in field.metadata:
        if isinstance(mark, Absent):
            return mark.means
    if not field.is_required():
        return field.get_default(call_default_factory=True)
    if NoneType in get_args(field.annotation):
        return None
    # A list that is null is empty, and one that the answer leaves out too, as long as it says anything.
    return [] if is_list else "" if was_named and field.annotation is str else _REQUIRED


def _named(form: type[BaseModel], said: Mapping[str, Any]) -> bool:
    """Whether an object has any field of a form."""
    return not {_plain(name) for name in form.model_fields}.isdisjoint(map(_plain, said))


def _plain(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def _is_nothing(said: Any) -> bool:
    return said is None or (isinstance(said, str) and not said.strip())


def _choices(field: FieldInfo) -> Any:
    """The words that the schema shows for a field which pydantic reads as text."""
    extra = field.json_schema_extra
    words = extra.get("enum") if isinstance(extra, dict) else None
    return tuple(words) if isinstance(words, list) else None


def _scalar(type_: Any, marks: Sequence[Any], said: Any) -> Any:
    if get_origin(type_) is Literal:
        return _choice(get_args(type_), _text(said), must=True)
    if type_ is bool:
        return _boolean(said)
    if type_ is int:
        return round(_number(said))
    return _number(said) if type_ is float else _string(marks, said) if type_ is str else said


def _string(marks: Sequence[Any], said: Any) -> str:
    text = _text(said)
    for mark in marks:
        if isinstance(mark, Ref):
            return _reference(mark.letter, text)
        if isinstance(mark, tuple):
            absent = next((each.means for each in marks if isinstance(each, Absent)), None)
            return _choice(mark, text, must=absent is not None)
    return text


def _text(said: Any) -> str:
    if isinstance(said, str):
        return said
    if isinstance(said, int | float) and not isinstance(said, bool):
        return str(int(said)) if float(said).is_integer() else str(said)
    if isinstance(said, list) and said and all(isinstance(each, str) for each in said):
        return ", ".join(said)
    raise _Unreadable("a value of another type")


def _choice(choices: Sequence[str], said: str, *, must: bool) -> str:
    """The word that is meant; one that is none stays as it is for the rules to judge, unless it `must` be one."""
    for choice in choices:
        if _plain(choice) == _plain(said):
            return choice
    if must:
        raise _Unreadable("an unknown word")
    return said


def _reference(letter: str, said: str) -> str:
    if len(said) > _LONGEST_REFERENCE:
        return said
    number = r"\d+(?:\.\d+)?"
    if found := re.fullmatch(_REFERENCE.format(f"({re.escape(letter)})?", number), said, re.IGNORECASE):
        return f"{letter}{found[2]}"
    if found := re.fullmatch(_REFERENCE.format("([a-z])", number), said, re.IGNORECASE):
        return f"{found[1].lower()}{found[2]}"
    return said.strip()


def _boolean(said: Any) -> bool:
    word = str(said).strip().casefold()
    if word in _YES | _NO:
        return word in _YES
    raise _Unreadable("a value of another type")


def _number(said: Any) -> float:
    if isinstance(said, str) and (found := _NUMBER.fullmatch(said.strip())):
        number = float(found[1].replace(",", "."))
        return number / 100 if found[2] else number
    if isinstance(said, int | float) and not isinstance(said, bool) and math.isfinite(said):
        return float(said)
    raise _Unreadable("a value of another type")
