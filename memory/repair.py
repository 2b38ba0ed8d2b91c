"""Scenes that could not be read, put right by a small model that may mend the form and add nothing (patrol seed, ❶)."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from memory.fences import fenced, unfenced
from memory.prompting import prompt
from memory.scene import Unparsable, parse_scene
from memory.thinking import Answered, Mind
from providers.errors import BadAnswer
from providers.tokens import estimated_tokens
from schemas.patrol_answers import RepairedScene
from schemas.rows import Note
from schemas.wire import SceneInput

REPAIR = prompt("repair", RepairedScene, size="small", most_tokens=6_000)
# More than this is nobody's scene.
MOST_TOKENS = 6_000
WORD = re.compile(r"\w+")
NUMBER = re.compile(r"\d*\.?\d+")
ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[bfnrt])")


def material(note: Note, fault: str) -> str:
    """A note as a model is shown it."""
    return fenced("note", _text(note), received=note.received_at.date(), fault=fault)


def check(note: Note, answer: RepairedScene) -> None:
    """Hold a repaired scene against the text that it was made of.

    Raises:
        BadAnswer: It is no scene, or says a word or a number that the text has not.
    """
    text = _text(note)
    source = f"{text} {ESCAPED.sub(_unescaped, text)} {note.received_at.date()}".casefold()
    said = [unfenced(words) for words in _words(answer.model_dump(exclude={"importance"}).values())]
    dates = [unfenced(date).casefold() for date in answer.when]
    if not all(
        part in source for part in [*dates, *(word for words in said for word in WORD.findall(words.casefold()))]
    ):
        raise BadAnswer("The scene has words that the note has not: mend its form, in its own words, and add nothing.")
    if answer.importance is not None and answer.importance not in map(float, NUMBER.findall(text)):
        raise BadAnswer("The importance is no number that the note has: null, if it tells none.")
    try:
        scene_of(answer)
    except Unparsable as fault:
        raise BadAnswer(f"It is {fault}.") from None


def scene_of(answer: RepairedScene) -> SceneInput:
    """Read a repaired scene as if a producer had sent it.

    Raises:
        Unparsable: It is no scene.
    """
    told: Mapping[str, Any] = answer.model_dump(exclude_none=True)
    return parse_scene({name: _unfenced(value) for name, value in told.items()})


def repaired(mind: Mind, unparsable: Sequence[tuple[Note, str]]) -> dict[UUID, SceneInput]:
    """Ask once of each note what scene it was meant to be.

    Args:
        mind: Who is asked.
        unparsable: The notes, each with why it could not be read.

    Returns:
        By note id, the scenes of those that could be put right.

    Raises:
        ProviderError: The model is out of reach.
    """
    asked = [(note, fault) for note, fault in unparsable if estimated_tokens(_text(note)) <= MOST_TOKENS]
    answers = mind.ask_each(
        [(REPAIR.question("", material(note, fault)), partial(check, note)) for note, fault in asked]
    )
    return {
        note.note_id: scene_of(answer.answer)
        for (note, _), answer in zip(asked, answers, strict=True)
        if isinstance(answer, Answered)
    }


def _text(note: Note) -> str:
    return note.content if isinstance(note.content, str) else json.dumps(note.content, ensure_ascii=False)


def _words(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        yield from [value] if isinstance(value, str) else value or []


def _unfenced(value: Any) -> Any:
    if isinstance(value, str):
        return unfenced(value)
    return [unfenced(item) for item in value] if isinstance(value, list) else value


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], base=16)) if escape[1] else " "
