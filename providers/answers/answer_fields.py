"""The fields of an answer's form: the meaning of an absent field, and fields that a model wrote under other names."""

import re
from collections.abc import Callable, Mapping
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from providers.answers.answer_scalars import IS_REFERENCE, is_choice, is_nothing, plain, references
from providers.answers.answer_shape import (
    choices_of,
    is_named,
    is_rejected,
    item_model,
    letter_in,
    letter_of,
    lists_of,
    only_by_name,
    stands_for_each,
)
from providers.answers.answer_verdicts import affirms, denies, doubts
from schemas.llm.answer_form import DroppedIfUnsure, WhenAbsent

REQUIRED = object()
"""A field without a value that must have one."""

# Names that share at least this many first characters, as `open_items` and `open_loops`, likely mean the same.
_SHARED = 4
# Names that models give to reasons and remarks, which are no part of the answer.
_ASIDE = ("reason", "thought", "think", "expla", "analys", "comment", "rationale", "remark", "step", "error", "why")

# Names that models give to their confidence.
_SURENESS = ("confiden", "certain", "sure", "probab", "likel", "score", "chance")
# Names under which models affirm or deny an item.
_VERDICT = re.compile(
    r"(?:is|are|should|to|can|do|be)*(?:merged?|correct|decision|verdict|status|conclusion|judge?ment|(?P<stands>valid"
    r"|apply|applies|applicable|include[ds]?|accept(?:ed|able)?|approved|ok|okay|supported)"
    r"|(?P<same>same(?:event|fact|memory)?|identical|equal|equivalent|duplicates?|match(?:es)?))"
)
# Names under which models say that an item does not stand.
_REFUSED = re.compile(
    r"(?:is|should|to|be)*(?:skip(?:ped)?|ignored?|reject(?:ed)?|discard(?:ed)?|excluded?|invalid|unsupported)"
)
# Names under which models repeat the words of the item that a reference names.
_REPEATED = ("text", "content", "name", "title", "topic", "quote", "summary", "action")


def absent_meaning(field: FieldInfo, *, was_named: bool) -> Any:
    """Return the meaning of a field without a value; `REQUIRED` if it must have one."""
    is_list = get_origin(field.annotation) is list
    if was_named and is_list:
        return []
    for mark in field.metadata:
        if isinstance(mark, WhenAbsent):
            return mark.means
    if not field.is_required():
        return field.get_default(call_default_factory=True)
    if NoneType in get_args(field.annotation):
        return None
    # A list that is null is empty, and one that the answer leaves out too, as long as it says anything.
    return [] if is_list else "" if was_named and field.annotation is str else REQUIRED


def under_other_names(form: type[BaseModel], raw: Mapping[str, Any], *, nested: bool) -> dict[str, Any]:
    """Find fields that an answer leaves out under names that its form does not have.

    A value stands for a field if it is of its kind, and its name is similar, or neither another value nor another field
    fits. Every kind can be written as text, so a text stands only for a required field of an item.
    A list of removals (`ExactFieldName`) is found only under a longer or shorter form of its own name.

    Args:
        form: The class of the answer or item.
        raw: Its fields.
        nested: Whether it is an item.
    """
    fields = {plain(name): field for name, field in form.model_fields.items()}
    others = {
        plain(name): value
        for name, value in raw.items()
        if plain(name) not in fields and not is_nothing(value) and not is_rejected(form, name)
    }
    if not others:
        return {}
    named = set(map(plain, raw))
    absent = {name: field for name, field in fields.items() if name not in named}
    missing = {name: fits for name, field in absent.items() if (fits := _fits(field, nested=nested))}
    found: dict[str, Any] = {}
    for alike in (True, False):
        for name, fits in list(missing.items()):
            fitting = [other for other, value in others.items() if fits(value) and (not alike or _alike(name, other))]
            if only_by_name(absent[name]):
                fitting = [other for other in fitting if other.startswith(name) or other in name]
            if not alike:
                fitting = [other for other in fitting if not other.startswith(_ASIDE)]
                rivals = [each for each in missing.values() if any(each(others[other]) for other in fitting)]
            if len(fitting) == 1 and (alike or len(rivals) == 1):
                found[name] = others.pop(fitting[0])
                del missing[name]
    return found


def is_unsure(form: type[BaseModel], raw: Mapping[str, Any]) -> bool:
    """Whether an item has a value beside its fields that denies or doubts it.

    An item with a field that is `DroppedIfUnsure` merges or replaces memory: it must not be in doubt either.
    """
    sure = {
        plain(name)
        for name, field in form.model_fields.items()
        if any(isinstance(m, DroppedIfUnsure) for m in field.metadata)
    }
    own = {plain(name) for name in form.model_fields}
    # Two statements that contradict each other are not the same.
    are_apart = any(isinstance(value, str) and not affirms(value) for name, value in raw.items() if plain(name) in sure)
    beside = [(name, value) for name, value in raw.items() if plain(name) not in own]
    if any(
        (affirms(value) and _REFUSED.fullmatch(plain(name)))
        or (denies(value) and (verdict := _VERDICT.fullmatch(plain(name))) and verdict["stands"])
        for name, value in beside
    ):
        return True
    return bool(sure) and any(
        (plain(name).startswith(_SURENESS) and (denies(value) or doubts(value)))
        or ((verdict := _VERDICT.fullmatch(plain(name))) and denies(value) and not (verdict["same"] and are_apart))
        or (affirms(value) and doubts(name))
        for name, value in beside
    )


def is_aside(name: str) -> bool:
    """Whether a field of this name holds a reason, or repeats the words of the item referred to."""
    return plain(name).startswith(_ASIDE) or is_repeated(name)


def is_repeated(name: str) -> bool:
    """Whether a field of this name repeats the words of the item referred to."""
    return plain(name).startswith(_REPEATED)


def _fits(field: FieldInfo, *, nested: bool) -> Callable[[Any], bool] | None:
    """Return a check of whether a value is of a field's kind; None if values of any kind fit."""
    letter, words = letter_in(field.metadata), choices_of(field) or _literals(field)
    if letter:
        several = stands_for_each(field)
        return lambda value: all(
            isinstance(each, str) and _are_references(letter, each)
            for each in (value if several and isinstance(value, list) and value else [value])
        )
    if words:
        return lambda value: isinstance(value, str) and is_choice(words, value)
    if get_origin(field.annotation) is not list:
        must = field.annotation is str and absent_meaning(field, was_named=False) is REQUIRED
        return (lambda value: isinstance(value, str) and not IS_REFERENCE(value)) if nested and must else None
    of = get_args(field.annotation)[0]
    if own := letter_of(of):
        return lambda value: isinstance(value, list) and all(_are_references(own, str(each)) for each in value)
    if model := item_model(of):
        return lambda value: isinstance(value, list) and all(_is_of(model, each) for each in value)
    return lambda value: (
        isinstance(value, list) and all(isinstance(each, str) and not IS_REFERENCE(each) for each in value)
    )


def _is_of(model: type[BaseModel], raw: Any) -> bool:
    """Whether an object has a field of an item's, a reference as the item's, or a list of what the item lists."""
    if not isinstance(raw, Mapping) or is_named(model, raw):
        return isinstance(raw, Mapping)
    letter = next((letter for field in model.model_fields.values() if (letter := letter_in(field.metadata))), None)
    within = [inner for of in lists_of(model).values() if (inner := item_model(of))]
    return any(
        isinstance(each, str) and letter is not None and _are_references(letter, each) for each in raw.values()
    ) or any(
        isinstance(each, list) and each and all(_is_of(inner, one) for one in each)
        for inner in within
        for each in raw.values()
    )


def _literals(field: FieldInfo) -> tuple[str, ...]:
    return get_args(field.annotation) if get_origin(field.annotation) is Literal else ()


def _are_references(letter: str, value: str) -> bool:
    """Whether a text is references, with their letters: a number alone may count anything."""
    of = re.compile(rf"{letter}\d+(?:\.\d+)?")
    read = references(letter, value) if re.search(r"[a-z]", value, re.IGNORECASE) else []
    return bool(read) and all(map(of.fullmatch, read))


def _alike(name: str, other: str) -> bool:
    shared = next((at for at, pair in enumerate(zip(name, other, strict=False)) if pair[0] != pair[1]), None)
    return name in other or other in name or shared is None or shared >= _SHARED
