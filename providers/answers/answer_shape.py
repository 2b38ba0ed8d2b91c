"""Finds an answer's fields and items where a model puts them elsewhere than in one object of the right form.

In an object around the answer, in several objects one after the other, in a list without its field, under other names,
in objects with the items' references as names, in JSON within a text, in the arguments of a function.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from providers.answers.answer_scalars import is_empty_list, is_nothing, is_reference, plain
from providers.answers.answer_verdicts import denies, is_rejecting, negated
from providers.answers.json_text import answer_text, answer_values
from schemas.llm.answer_form import ExactFieldName, Ref

_DEEPEST = 4
# Names that begin with so many equal letters, as `merges` and `merged`, mean the same list.
_SHARED = 4
# The bullet or number at the beginning of a list's line.
_BULLET = re.compile(r"^\s*(?:[-*\u2022\s]+|\d{1,3}[.)]\s+)")
_ARGUMENTS = ("arguments", "parameters", "input", "args")
# An object that has a list under one of these names stands for that list.
_LISTS = frozenset(
    {"items", "lines", "entries", "list", "value", "values", "texts", "content", "names", "notes", "points"}
)
_MARKED = ("true", "yes", "false", "no", "none")
_DESCRIBES = frozenset({"type", "$ref", "anyOf"})
_ANSWERS = frozenset(
    {
        "answer",
        "content",
        "output",
        "response",
        "result",
        "text",
        "title",
        "topic",
        "zusammenfassung",
        "resumen",
        "résumé",
    }
    | {"riassunto", "resumo", "摘要", "总结", "要約", "요약", "titel", "titre", "título", "titolo", "标题", "タイトル"}
)


def shaped(form: type[BaseModel], raw: Sequence[Any]) -> dict[str, Any] | None:
    """Join the parts of an answer into one object with the form's fields.

    Args:
        form: The answer's class.
        raw: The objects and lists in the answer, as Python values.

    Returns:
        The object, with its values still to be read; None if the answer has none of the fields.
    """
    # Words in brackets, such as a reference in a note behind the answer, are no part of it.
    objects = [
        value for value in raw if not isinstance(value, list) or any(isinstance(one, dict | list) for one in value)
    ]
    found = [part for value in objects or raw for part in _parts(form, value, 0)]
    return _joined(form, found) if found else None


def listed(type_: Any, raw: Any, letter: str | None) -> list[Any]:
    """Read the value in the place of a list as its items.

    Args:
        type_: The type of an item.
        raw: One item, an object with the items' references as names, JSON within a text, or lines of text.
        letter: The letter that references of such items begin with; None: they are none.
    """
    if isinstance(raw, str):
        if raw.lstrip()[:1] in {"[", "{"} and (inner := _encoded(raw)) is not None:
            return listed(type_, inner, letter)
        lines = [_BULLET.sub("", line).strip() for line in raw.splitlines()]
        return [] if is_empty_list(raw) else [line for line in lines if line]
    if isinstance(raw, Mapping):
        return _of_object(type_, raw, letter)
    return raw if isinstance(raw, list) else [] if raw is None or raw is False else [raw]


def item_model(type_: Any) -> type[BaseModel] | None:
    """The class of a list's items, if they are objects."""
    if get_origin(type_) is Annotated:
        return item_model(get_args(type_)[0])
    if get_origin(type_) in {Union, UnionType}:
        return next((model for each in get_args(type_) if (model := item_model(each))), None)
    return type_ if isinstance(type_, type) and issubclass(type_, BaseModel) else None


def is_named(form: type[BaseModel], raw: Mapping[str, Any]) -> bool:
    """Whether an object has any field of a form."""
    return not {plain(name) for name in form.model_fields}.isdisjoint(map(plain, raw))


def is_rejected(form: type[BaseModel], name: str) -> bool:
    """Whether a name rejects its values, or denies a list of a form: `not_facts` does, `do_not_forget` does not."""
    denied = plain(negated(name) or "")
    return is_rejecting(name) or any(denied.startswith(plain(each)[:_SHARED]) for each in lists_of(form) if denied)


def lists_of(form: type[BaseModel]) -> dict[str, Any]:
    """The fields of a form that are lists, with the type of their items."""
    return {
        name: get_args(field.annotation)[0]
        for name, field in form.model_fields.items()
        if get_origin(field.annotation) is list
    }


def _parts(form: type[BaseModel], value: Any, depth: int) -> list[dict[str, Any]]:
    """The objects with fields of the form in a value."""
    if isinstance(value, str):
        value = _encoded(value)
    if depth > _DEEPEST or not isinstance(value, Mapping | list) or _is_schema(form, value):
        return []
    if isinstance(value, list):
        own = _inverted(form, value, depth) or (None if _within(form, value, depth) else _homed(form, value))
        return [own] if own else [part for inner in value for part in _parts(form, inner, depth + 1)]
    for name in _ARGUMENTS:
        if isinstance(value.get(name), Mapping | str) and (parts := _parts(form, value[name], depth + 1)):
            return parts
    own = _renamed(form, value) if is_named(form, value) else _inverted(form, value, depth)
    if not own and (within := _within(form, value, depth)):
        return within
    if own := own or _homed(form, [value]) or _homed(form, _with_names(form, value)):
        return [own]
    others = [each for name, each in value.items() if not (denies(name) or is_rejected(form, name))]
    inner = [part for each in others for part in _parts(form, each, depth + 1)]
    return inner or [alone for alone in [_alone(form, value)] if alone]


def _within(form: type[BaseModel], value: Mapping[str, Any] | list[Any], depth: int) -> list[dict[str, Any]]:
    """Find the objects in a value that have the form's own fields: they are the answer, at any nesting."""
    found: list[dict[str, Any]] = []
    if isinstance(value, list) and (own := _inverted(form, value, depth)):
        return [own]
    for inner in value.values() if isinstance(value, Mapping) else value:
        part = _encoded(inner) if isinstance(inner, str) else inner
        if isinstance(part, Mapping) and is_named(form, part):
            found += _parts(form, part, depth + 1)
        elif isinstance(part, Mapping | list) and depth < _DEEPEST:
            found += _within(form, part, depth + 1)
    return found


def _is_schema(form: type[BaseModel], value: Mapping[str, Any] | list[Any]) -> bool:
    """Whether an object describes the form's fields, as a model repeats the schema before its answer."""
    described = value.get("properties", value) if isinstance(value, Mapping) else None
    fields = (
        [each for name, each in described.items() if name in form.model_fields]
        if isinstance(described, Mapping)
        else []
    )
    return bool(fields) and all(
        isinstance(each, Mapping) and not _DESCRIBES.isdisjoint(each) and not isinstance(each.get("items"), list)
        for each in fields
    )


def _renamed(form: type[BaseModel], raw: Mapping[str, Any]) -> dict[str, Any]:
    """An object of the form, with lists and groups of fields under names that it does not have in their place."""
    known = {plain(name): name for name in form.model_fields}
    # A form that has only lists has no groups: other objects are examples, or items that the model left out.
    has_groups = len(lists_of(form)) < len(known)
    named: dict[str, Any] = {known.get(plain(name), name): value for name, value in raw.items()}
    for name in [name for name in named if name not in form.model_fields]:
        value = named[name]
        if is_rejected(form, name):
            continue
        if isinstance(value, list) and (own := _homed(form, value)) and not named.keys() & own.keys():
            named |= own
        elif has_groups and isinstance(value, Mapping) and is_named(form, value) and not denies(name):
            # Some of the fields in a group of their own
            named = _renamed(form, value) | named
    return named


def _alone(form: type[BaseModel], raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """The only text of a form that is one text, or its only list (`ExactFieldName`), under a similar name."""
    (name, field), *more = form.model_fields.items()
    if not more and only_by_name(field):
        lists = [value for key, value in raw.items() if plain(key).startswith(plain(name))]
        return {name: lists[0]} if len(lists) == len(raw) == 1 else None
    if more or field.annotation is not str:
        return None
    texts = [value for key, value in raw.items() if isinstance(value, str) and (name in key or plain(key) in _ANSWERS)]
    return {name: texts[0]} if len(texts) == 1 else None


def _inverted(form: type[BaseModel], raw: Mapping[str, Any] | list[Any], depth: int) -> dict[str, Any] | None:
    """Sort references, each with the name of its list or with whether it belongs to the only one, into the lists."""
    lists = {plain(name): name for name, type_ in lists_of(form).items() if letter_of(type_)}
    if not raw or not lists:
        return None
    own = next(iter(lists))
    letter = letter_of(lists_of(form)[lists[own]]) or ""
    is_only = len(form.model_fields) == 1
    if isinstance(raw, list):
        if not all(isinstance(each, Mapping) and len(_cited(letter, each)) == 1 for each in raw):
            return None
        if is_only and all(own in map(plain, each) for each in raw):
            return {lists[own]: raw}
        words = [[one for one in each.values() if isinstance(one, str) and plain(one) in lists] for each in raw]
        raw = {_cited(letter, each)[0]: " ".join(word) for each, word in zip(raw, words, strict=True)}
    elif is_only and not depth and all(is_reference(letter, name) for name in raw):
        is_told = [isinstance(each, bool) or denies(each) or plain(str(each)) == own for each in raw.values()]
        return {lists[own]: raw} if all(is_told) else None
    if not all(isinstance(value, str) and plain(value) in lists for value in raw.values()):
        return None
    return {name: [ref for ref, value in raw.items() if lists[plain(value)] == name] for name in lists.values()}


def _cited(letter: str, raw: Mapping[str, Any]) -> list[str]:
    return [value for value in raw.values() if is_reference(letter, value)]


def _homed(form: type[BaseModel], items: Sequence[Any]) -> dict[str, Any] | None:
    """Sort items without their list into the lists with which they share most fields."""
    homes: dict[str, list[Any]] = {}
    texts = [name for name, type_ in lists_of(form).items() if item_model(type_) is None]
    for item in items:
        if (
            isinstance(item, str | int)
            and len(texts) == len(form.model_fields) == 1
            and not only_by_name(form.model_fields[texts[0]])
        ):
            homes.setdefault(texts[0], []).append(item)
        if not isinstance(item, Mapping):
            continue
        raw = {plain(name) for name in item}
        common = {
            name: len(raw & {plain(field) for field in model.model_fields})
            for name, type_ in lists_of(form).items()
            if (model := item_model(type_))
        }
        if common and (most := max(common.values())) and 2 * most >= len(raw):
            homes.setdefault(max(common, key=lambda name: common[name]), []).append(item)
    return homes or None


def _with_names(form: type[BaseModel], raw: Mapping[str, Any]) -> list[Any]:
    """Return the items of an object that has their references as its names."""
    models = [model for type_ in lists_of(form).values() if (model := item_model(type_))]
    if len(models) != 1 or not all(isinstance(value, Mapping) for value in raw.values()):
        return []
    if not _homed(form, list(raw.values())):
        return []
    return _of_object(models[0], raw, None)


def _of_object(type_: Any, raw: Mapping[str, Any], letter: str | None) -> list[Any]:
    lists = [value for value in raw.values() if isinstance(value, list)]
    model = item_model(type_)
    is_counted = len(lists) == 1 and all(isinstance(value, int | list | None) for value in raw.values())
    is_list = len(lists) == 1 and any(plain(name) in _LISTS for name in raw)
    is_counted = is_counted and (is_list or len(raw) > 1)
    if (lists and raw.get("type") == "array") or (is_counted and not (model and is_named(model, raw))):
        # In the form of a schema, `{"type": "array", "items": [...]}`, or counted, `{"total": 2, "items": [...]}`.
        return lists[0]
    if model:
        is_numbered = model is not type_ and all(name.isdigit() for name in raw)
        return list(raw.values()) if is_numbered else _objects_in(model, raw)
    if letter:
        return _references_in(letter, raw)
    if is_list:
        return lists[0]
    each = [(name, one) for name, value in raw.items() for one in (value if isinstance(value, list) else [value])]
    # Names without digits are no positions in the list but part of the text, as in "Ana: sister".
    is_numbered = all(any(char.isdigit() for char in name) for name in raw)
    return [one if is_numbered else f"{name}: {one}" for name, one in each]


def _references_in(letter: str, raw: Mapping[str, Any]) -> list[Any]:
    """Read the references that are an object's names, each with its value, or the references in its values."""
    values = list(raw.values())
    if all(isinstance(value, bool | None) or str(value).casefold() in _MARKED for value in values):
        return [name for name, value in raw.items() if str(value).casefold() in _MARKED[:2]]
    if all(is_reference(letter, name) and isinstance(value, str | int | float | None) for name, value in raw.items()):
        return [f"{name}: {value}" for name, value in raw.items() if not is_nothing(value) and value is not False]
    stated = [value for name, value in raw.items() if not denies(name)]
    return [one for value in stated for one in (value if isinstance(value, list) else [value])]


def _objects_in(model: type[BaseModel], raw: Mapping[str, Any]) -> list[Any]:
    """The items in an object: itself, or those under their references as names."""
    texts = [name for name, field in model.model_fields.items() if field.annotation is str]
    fields = [*texts, *lists_of(model)]
    is_named_list = len(texts) == 1 and len(fields) == 2 and all(isinstance(each, list) for each in raw.values())  # noqa: PLR2004  # a name and a list
    if is_named_list and not is_named(model, raw):
        return [dict(zip(fields, each, strict=True)) for each in raw.items()]
    inner = [(name, each) for name, value in raw.items() for each in (value if isinstance(value, list) else [value])]
    if inner and not is_named(model, raw) and all(isinstance(each, str) for _, each in inner):
        kinds = {plain(word) for field in model.model_fields.values() for word in choices_of(field) or ()}
        if _key_of(model) or all(plain(name) in kinds for name in raw):
            return [f"{name}: {each}" for name, each in inner]
    if is_named(model, raw) or not all(isinstance(each, Mapping) for _, each in inner):
        return [raw]
    key = _key_of(model)
    return [{key: name, **each} if key and key not in each else each for name, each in inner]


def _key_of(model: type[BaseModel]) -> str | None:
    """The field of an item that names it by its reference."""
    return next((name for name, field in model.model_fields.items() if letter_in(field.metadata)), None)


def letter_of(type_: Any) -> str | None:
    """The letter of references of this type; None if it is another text."""
    return letter_in(get_args(type_)[1:]) if get_origin(type_) is Annotated else None


def letter_in(marks: Iterable[Any]) -> str | None:
    """The letter of a reference's mark among some marks."""
    return next((mark.letter for mark in marks if isinstance(mark, Ref)), None)


def only_by_name(field: FieldInfo) -> bool:
    """Whether a field is read under its own name alone (`ExactFieldName`)."""
    return any(isinstance(mark, ExactFieldName) for mark in field.metadata)


def choices_of(field: FieldInfo) -> tuple[str, ...] | None:
    """Return the words that the schema shows for a field which pydantic reads as text; None if it has none."""
    extra = field.json_schema_extra
    words = extra.get("enum") if isinstance(extra, dict) else None
    return tuple(map(str, words)) if isinstance(words, list) else None


def stands_for_each(field: FieldInfo) -> bool:
    """Whether an item that names several references in a field says the same of each of them."""
    return any(isinstance(mark, Ref) and mark.each for mark in field.metadata)


def _joined(form: type[BaseModel], parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One object of several: items of a list together, each once; of other fields the last that says anything."""
    joined = dict(parts[0])
    lists = lists_of(form)
    for part in parts[1:]:
        for name, value in part.items():
            if name in lists and name in joined:
                letter = letter_of(lists[name])
                before, more = (listed(lists[name], each, letter) for each in (joined[name], value))
                joined[name] = [*before, *(each for each in more if each not in before)]
            elif not is_nothing(value) or name not in joined:
                joined[name] = value
    return joined


def _encoded(text: str) -> Any:
    """The JSON within a text; None if there is none."""
    if text.lstrip()[:1] not in {"{", "["} or (found := answer_text(text)) is None:
        return None
    values, _ = answer_values(found)
    return values[0] if len(values) == 1 else values
