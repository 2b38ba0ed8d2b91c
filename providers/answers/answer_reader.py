"""Reads a model's answer into the form that was asked for, where it says the same in another form.

Between the JSON and pydantic, the fields of the answer's models decide: names and words of enumerations in any case,
numbers as text or words, fractions for whole numbers, one item for a list of one, null or nothing for an empty list or
an optional field, references without their letter. Fields that the form does not have are passed over. An item of a
list that can't be read is dropped and counted, and the others stay. What must be there and is not is left to pydantic,
whose complaint the model is shown.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from providers.answers.answer_scalars import Unreadable, is_nothing, plain, references, scalar, text
from providers.answers.answer_shape import item_model, letter_in, letter_of, listed, shaped
from schemas.llm.answer_form import Absent, AtMost

CUT = "the end was cut off"
"""Counted among what was dropped of an answer whose end is missing."""


class AnswerReader:
    """Reads one answer.

    Args:
        cut: Whether the end of the answer is cut off, so that any list may lack items.
        shorten: Whether texts are cut that are longer than they may be.

    Attributes:
        dropped: How many items, or values of optional fields, were dropped, by reason.
    """

    def __init__(self, *, cut: bool = False, shorten: bool = False) -> None:
        self.dropped: Counter[str] = Counter([CUT] if cut else [])
        self._cut = cut
        self._shorten = shorten
        self._kept = self._lost = 0

    def read(self, form: type[BaseModel], raw: Sequence[Any]) -> Any:
        """Bring an answer into its form.

        Args:
            form: The answer's class.
            raw: The objects and lists in the answer, as Python values.

        Returns:
            What `form` can validate. What was said as it is if nothing in it could be read, so that the complaint about
            it names what is wrong.
        """
        whole = shaped(form, raw)
        if whole is None:
            return raw[0] if raw else None
        read = self._fields(form, whole, nested=False)
        return whole if self._lost and not self._kept else read

    def _fields(self, form: type[BaseModel], raw: Mapping[str, Any], *, nested: bool) -> dict[str, Any]:
        written = {plain(name): value for name, value in raw.items()}
        if nested:
            written |= _under_another_name(form, written)
        read: dict[str, Any] = {}
        for name, field in form.model_fields.items():
            value = written.get(plain(name))
            if value is None:
                if (absent := _absent(field, was_named=plain(name) in written)) is not _REQUIRED:
                    read[name] = absent
                elif nested:
                    raise Unreadable("a field is missing")
                continue
            try:
                read[name] = self._value(field.annotation, [*field.metadata, _choices(field)], value)
            except Unreadable as reason:
                absent = _absent(field, was_named=False)
                if absent is _REQUIRED or isinstance(absent, list):
                    if nested:
                        raise
                    read[name] = value
                else:
                    self.dropped[str(reason)] += 1
                    read[name] = absent
        return read

    def _value(self, type_: Any, marks: Sequence[Any], raw: Any) -> Any:
        origin = get_origin(type_)
        if origin is Annotated:
            inner, *further = get_args(type_)
            return self._value(inner, [*further, *marks], raw)
        if origin in {Union, UnionType}:
            return self._one_of(get_args(type_), marks, raw)
        if origin is list:
            return self._items(get_args(type_)[0], marks, raw)
        if isinstance(type_, type) and issubclass(type_, BaseModel):
            return self._model(type_, raw)
        return scalar(type_, marks, raw, shorten=self._shorten)

    def _one_of(self, types: Iterable[Any], marks: Sequence[Any], raw: Any) -> Any:
        types = list(types)
        if NoneType in types and is_nothing(raw, words=True):
            return None
        objects = [each for each in types if isinstance(each, type) and issubclass(each, BaseModel)]
        fitting = objects if isinstance(raw, Mapping) else [each for each in types if each not in {*objects, NoneType}]
        for each in fitting:
            try:
                return self._value(each, marks, raw)
            except Unreadable:
                continue
        raise Unreadable("a value of another type")

    def _model(self, form: type[BaseModel], raw: Any) -> dict[str, Any]:
        if not isinstance(raw, Mapping):
            # A text, or number, for an object of which nothing but one field must be said.
            raw = _of_text(form, text(raw))
        read = self._fields(form, raw, nested=True)
        try:
            form.model_validate(read)
        except ValidationError:
            raise Unreadable("a value of another type") from None
        return read

    def _items(self, type_: Any, marks: Sequence[Any], raw: Any) -> list[Any]:
        letter = letter_of(type_)
        raw = listed(type_, raw, letter)
        # What a list means that is left out, an item means that can't be read, and an end that is cut off.
        absent: list[Any] = next((mark.means for mark in marks if isinstance(mark, Absent)), [])
        read = list(absent) if self._cut else []
        for item in raw:
            if is_nothing(item, words=True):
                continue
            if letter and isinstance(item, str):
                read += references(letter, item)
                continue
            try:
                read.append(self._value(type_, (), _item(type_, item)))
            except Unreadable as reason:
                self.dropped[str(reason)] += 1
                self._lost += 1
                read += absent
        self._kept += len(read)
        most = next((mark.items for mark in marks if isinstance(mark, AtMost)), len(read))
        if len(read) > most:
            self.dropped["more items than asked for"] += len(read) - most
        return read[:most]


_REQUIRED = object()


def _item(type_: Any, raw: Any) -> Any:
    """An item, or the one that stands in JSON within a text, or alone in a list or an object."""
    if item_model(type_) is None:
        # Of an object in the place of a text its only text counts.
        texts = [value for value in raw.values() if isinstance(value, str)] if isinstance(raw, Mapping) else []
        return texts[0] if len(texts) == 1 and not isinstance(type_, UnionType) else raw
    if isinstance(raw, str | list) and len(inner := listed(type_, raw, None)) == 1 and isinstance(inner[0], Mapping):
        return inner[0]
    return raw


def _of_text(form: type[BaseModel], raw: str) -> dict[str, Any]:
    """The fields that a text says in the place of an object: the one that must be there, or "kind: text"."""
    must = [name for name, field in form.model_fields.items() if not any(isinstance(m, Absent) for m in field.metadata)]
    name = next(iter(must or form.model_fields))
    before, colon, behind = raw.partition(":")
    for kind, field in form.model_fields.items():
        words = _choices(field) or ()
        if colon and plain(before) in {plain(word) for word in words}:
            return {kind: before, name: behind.strip()}
    return {name: raw}


def _under_another_name(form: type[BaseModel], written: Mapping[str, Any]) -> dict[str, Any]:
    """The only text that must be there and is not, from the only one under a name that the form does not have."""
    names = {plain(name) for name in form.model_fields}
    missing = [
        plain(name)
        for name, field in form.model_fields.items()
        if plain(name) not in written
        and field.annotation is str
        and not _choices(field)
        and letter_in(field.metadata) is None
        and _absent(field, was_named=False) is _REQUIRED
    ]
    others = [
        value for name, value in written.items() if name not in names and isinstance(value, str) and value.strip()
    ]
    return {missing[0]: others[0]} if len(missing) == len(others) == 1 else {}


def _absent(field: FieldInfo, *, was_named: bool) -> Any:
    """The meaning of a field without a value; `_REQUIRED` if it must have one."""
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


def _choices(field: FieldInfo) -> Any:
    """The words that the schema shows for a field which pydantic reads as text."""
    extra = field.json_schema_extra
    words = extra.get("enum") if isinstance(extra, dict) else None
    return tuple(words) if isinstance(words, list) else None
