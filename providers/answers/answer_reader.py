"""Reads a model's answer into the form that was asked for, where it says the same in another form.

Between the JSON and pydantic, the fields of the answer's models decide: names and words of enumerations in any case,
numbers as text or words, fractions for whole numbers, one item for a list of one, null or nothing for an empty list or
an optional field, references without their letter. Fields that the form does not have are passed over. An item of a
list that can't be read is dropped and counted, and the others stay. A missing required field is left to pydantic, whose
complaint the model is shown.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from providers.answers.answer_fields import (
    REQUIRED,
    absent_meaning,
    is_aside,
    is_repeated,
    is_unsure,
    under_other_names,
)
from providers.answers.answer_numbers import UnreadableValue
from providers.answers.answer_scalars import (
    is_empty_list,
    is_nothing,
    is_reference,
    plain,
    reference,
    references,
    scalar,
    text,
)
from providers.answers.answer_shape import (
    choices_of,
    is_named,
    item_model,
    letter_in,
    letter_of,
    listed,
    shaped,
    stands_for_each,
)
from providers.answers.answer_verdicts import affirms, denies, doubts, keeps, negated
from schemas.llm.answer_form import DroppedIfUnsure, ExactFieldName, FirstItems, WhenAbsent

# Of an item that names several references where one stands.
_MOST_COPIES = 200
CUT = "the end was cut off"
"""The reason under which a missing end is counted among the dropped items of an answer."""


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
            A value for `form` to validate; the raw answer if none of its items could be read, so that the complaint
            names the fault.
        """
        whole = shaped(form, raw) or _of_other_names(form, raw)
        if whole is None:
            return raw[0] if raw else None
        read = self._fields(form, whole, nested=False)
        return whole if self._lost and not self._kept else read

    def _fields(self, form: type[BaseModel], raw: Mapping[str, Any], *, nested: bool) -> dict[str, Any]:
        written = {plain(name): value for name, value in raw.items()}
        written |= under_other_names(form, raw, nested=nested)
        read: dict[str, Any] = {}
        for name, field in form.model_fields.items():
            key = plain(name)
            value = written.get(key)
            if value is None and _is_only_item(field, written):
                value = {each: one for each, one in raw.items() if each not in form.model_fields}
            if value is None:
                if (absent := absent_meaning(field, was_named=key in written)) is not REQUIRED:
                    read[name] = absent
                elif nested:
                    raise UnreadableValue("a field is missing")
                continue
            try:
                read[name] = self._value(field.annotation, [*field.metadata, choices_of(field)], value)
            except UnreadableValue as reason:
                absent = absent_meaning(field, was_named=False)
                if absent is REQUIRED or isinstance(absent, list):
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
        if objects and isinstance(raw, list) and len(raw) == 1:
            (raw,) = raw
        fitting = (
            objects
            if objects and isinstance(raw, Mapping)
            else [each for each in types if each not in {*objects, NoneType}]
        )
        for each in fitting:
            try:
                return self._value(each, marks, raw)
            except UnreadableValue:
                continue
        raise UnreadableValue("a value of another type")

    def _model(self, form: type[BaseModel], raw: Any) -> dict[str, Any]:
        if not isinstance(raw, Mapping):
            # A text, or number, for an object of which nothing but one field must be said.
            raw = _of_text(form, text(raw))
        if is_unsure(form, raw):
            # An unsure item counts as read: an answer that has only such items is not validated raw.
            self._kept += 1
            raise UnreadableValue("the model is not sure")
        read = self._fields(form, raw, nested=True)
        try:
            form.model_validate(read)
        except ValidationError:
            raise UnreadableValue("a value of another type") from None
        return read

    def _items(self, type_: Any, marks: Sequence[Any], raw: Any) -> list[Any]:
        letter = letter_of(type_)
        raw = listed(type_, raw, letter)
        # The meaning of an absent list stands also for an unreadable item and for an end that is cut off.
        absent: list[Any] = next((mark.means for mark in marks if isinstance(mark, WhenAbsent)), [])
        read = list(absent) if self._cut else []
        takes_away = any(isinstance(mark, ExactFieldName | DroppedIfUnsure) for mark in marks)
        for item in raw:
            # Beside other items such a word is one, as a name.
            if is_empty_list(item) if len(raw) == 1 else is_nothing(item):
                continue
            if letter and (listed_refs := _references(letter, item, takes_away=takes_away)) is not None:
                read += listed_refs
                continue
            try:
                read += [self._value(type_, (), each) for each in _each(type_, _item(type_, item))]
            except UnreadableValue as reason:
                self.dropped[str(reason)] += 1
                self._lost += 1
                read += absent
        self._kept += len(read)
        most = next((mark.items for mark in marks if isinstance(mark, FirstItems)), len(read))
        if len(read) > most:
            self.dropped["more items than asked for"] += len(read) - most
        return read[:most]


def _of_other_names(form: type[BaseModel], raw: Sequence[Any]) -> Mapping[str, Any] | None:
    """The object in an answer that has none of the form's names, as in another language, but values of its kinds."""
    objects = (
        {name: value for name, value in one.items() if negated(name) is None} for one in raw if isinstance(one, Mapping)
    )
    return next((one for one in objects if under_other_names(form, one, nested=False)), None)


def _is_only_item(field: FieldInfo, written: Mapping[str, Any]) -> bool:
    """Whether all fields of a list's item stand beside the list, which is left out."""
    of = get_args(field.annotation)[0] if get_origin(field.annotation) is list else None
    model = item_model(of) if of else None
    return model is not None and all(plain(name) in written for name in model.model_fields)


def _references(letter: str, item: Any, *, takes_away: bool) -> list[str] | None:
    """Return the references in an item of a list of some; none if a value beside them denies them; None if unclear.

    Args:
        letter: The letter that they begin with.
        item: The item.
        takes_away: Whether a wrong reference would remove something, so that the values beside it must affirm it.
    """
    if isinstance(item, str):
        return [] if takes_away and keeps(item) else references(letter, item, apart=takes_away)
    may_be_several = isinstance(item, list)
    if isinstance(item, list):
        item = {str(place): each for place, each in enumerate(item)}
    if not isinstance(item, Mapping):
        return None
    if item and all(is_reference(letter, name) for name in item):
        stated = [str(one) for one in listed(str, item, letter)]
        kept = [one for one in stated if not (takes_away and keeps(one))]
        return [ref for one in kept for ref in references(letter, one, apart=takes_away)]
    cited = [value for value in item.values() if is_reference(letter, value)]
    others = [(name, value) for name, value in item.items() if not is_reference(letter, value)]
    if any(_is_denied(name, value, apart=takes_away) for name, value in others):
        return []
    others = [(name, value) for name, value in others if takes_away and not is_nothing(value)]
    if len(cited) != 1 and not (cited and may_be_several):
        return None
    is_clear = all(affirms(value) or is_aside(name) for name, value in others)
    return [reference(letter, each) for each in cited] if is_clear else None


def _is_denied(name: str, value: Any, *, apart: bool) -> bool:
    """Whether a value beside a reference denies the reference, or leaves it open; see `doubts` for `apart`."""
    if is_nothing(value):
        return not is_aside(name)
    repeated = is_repeated(name)
    if isinstance(value, str) and is_aside(name) and not repeated:
        # A reason denies in its first clause.
        value = re.split(r"[,;.]", value, maxsplit=1)[0]
    is_open = not repeated and doubts(value, apart=apart)
    return denies(value, repeated=repeated) or is_open or (affirms(value) and denies(name))


def _each(type_: Any, raw: Any) -> list[Any]:
    """An item, once for each of the references that it names where one stands.

    Raises:
        UnreadableValue: They are too many.
    """
    model = item_model(type_)
    if model is None or not isinstance(raw, Mapping):
        return [raw]
    written = {plain(name): value for name, value in raw.items()}
    written |= under_other_names(model, raw, nested=True)
    copies = [raw]
    for name, field in model.model_fields.items():
        letter, value = letter_in(field.metadata), written.get(plain(name))
        if not letter or not stands_for_each(field) or not isinstance(value, str | list):
            continue
        try:
            # In a list of confidences (`WhenAbsent`), "keep" and "not to be told" affirm the reference.
            is_secret = any(isinstance(mark, WhenAbsent) for mark in field.metadata)
            refs = references(letter, text(value), denied=not is_secret)
        except UnreadableValue:
            continue
        if len(refs) > 1:
            copies = [{**copy, name: ref} for copy in copies for ref in refs]
        if len(copies) > _MOST_COPIES:
            raise UnreadableValue("too many references")
    return copies


def _item(type_: Any, raw: Any) -> Any:
    """An item, or the one that stands in JSON within a text, or alone in a list or an object."""
    if (model := item_model(type_)) is None:
        return _text_of(type_, raw) if isinstance(raw, Mapping) and not isinstance(type_, UnionType) else raw
    if isinstance(raw, Mapping):
        # An item under its kind, as `{"fact": {…}}`, or in part, as `{"conversation": "c1", "summary": {…}}`.
        own = {plain(name) for name in model.model_fields}
        inner = [part for name, part in raw.items() if plain(name) not in own and isinstance(part, Mapping)]
        if len(inner) == 1 and is_named(model, inner[0]):
            outer = {name: value for name, value in raw.items() if value is not inner[0]}
            counts = [sum(plain(name) in own for name in part) for part in (outer, inner[0])]
            return {**inner[0], **outer} if counts[0] > counts[1] else {**outer, **inner[0]}
        if len(raw) == 1 and not is_named(model, raw):
            # A reference with the words that it stands for, or a kind with a name.
            (alone,) = listed(type_, raw, None)
            return alone
        return raw
    inner = listed(type_, raw, None) if isinstance(raw, str | list) else []
    if len(inner) == 1 and isinstance(inner[0], Mapping):
        return inner[0]
    # The values of its fields in order.
    names = list(model.model_fields)
    values = [raw] if len(names) == 1 else raw
    return dict(zip(names, values, strict=True)) if isinstance(raw, list) and len(values) == len(names) else raw


def _text_of(type_: Any, raw: Mapping[str, Any]) -> Any:
    """Return an object's text where a text is expected: the only one, else its name, else all, as "Ana: a friend"."""
    texts = [value for value in raw.values() if isinstance(value, str) and value.strip()]
    if len(texts) == 1:
        return texts[0]
    if not texts or letter_of(type_):
        return raw
    return raw["name"] if raw.get("name") in texts else f"{texts[0]}: {', '.join(texts[1:])}"


def _of_text(form: type[BaseModel], raw: str) -> dict[str, Any]:
    """The fields that a text says in the place of an object: the one that must be there, or "kind: text"."""
    must = [
        name for name, field in form.model_fields.items() if not any(isinstance(m, WhenAbsent) for m in field.metadata)
    ]
    name = next(iter(must or form.model_fields))
    before, colon, behind = raw.partition(":")
    for kind, field in form.model_fields.items():
        letter = letter_in(field.metadata)
        if letter and (cited := re.fullmatch(rf"\W*({letter}\d+(?:\.\d+)?)\b\W*(.+)", raw, re.IGNORECASE | re.DOTALL)):
            # A reference with the words that it stands for, as `e1: "I live in Ghent"`.
            texts = [each for each in must if each != kind]
            return {kind: cited[1], texts[0]: cited[2]} if texts else {name: raw}
        words = choices_of(field) or ()
        if colon and plain(before) in {plain(word) for word in words}:
            return {kind: before, name: behind.strip()}
    return {name: raw}
