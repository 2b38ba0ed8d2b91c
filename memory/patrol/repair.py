"""Repairs unparsable scene notes with a small model, which may fix the form and add no content (patrol seed, ❶)."""

import json
import re
from collections.abc import Sequence
from functools import partial
from uuid import UUID

from memory.llm.prompting import prompt
from memory.llm.session import LlmSession, ValidAnswer
from memory.nodes.scenes import Unparsable, parse_scene
from memory.text.prompt_escaping import tagged, texts_in, unescaped_texts
from providers.errors import BadAnswer
from providers.tokens import estimated_tokens
from schemas.intake.inputs import SceneInput
from schemas.intake.notes import Note
from schemas.patrol.model_answers import RepairedScene

REPAIR = prompt("repair", RepairedScene, size="small", most_tokens=6_000)
# A longer note is not sent for repair.
MOST_TOKENS = 6_000
WORD = re.compile(r"\w+")
NUMBER = re.compile(r"\d*\.?\d+")
SIGNED_NUMBER = re.compile(r"-\d*\.?\d+")
ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[bfnrt])")


def material(note: Note, fault: str) -> str:
    """Render a note for the prompt."""
    return tagged("note", _text(note), received=note.received_at.date(), fault=fault)


def check(note: Note, answer: RepairedScene) -> None:
    """Validate a repaired scene against the note's text.

    Raises:
        BadAnswer: It is no valid scene, or has a word or number that the text does not have.
    """
    text = _text(note)
    source = f"{text} {ESCAPED.sub(_unescaped, text)} {note.received_at.date()}".casefold()
    scene = unescaped_texts(answer.model_dump(exclude={"importance", "emotion"}))
    dates = [item if isinstance(item, str) else item["date"] for item in scene["when"]]
    words = [word for line in texts_in(scene) for word in WORD.findall(line.casefold())]
    if not all(part in source for part in [*(date.casefold() for date in dates), *words]):
        raise BadAnswer(
            "The scene has words that the note does not have: repair the form only, in the note's own words."
        )
    numbers = set(map(float, [*NUMBER.findall(text), *SIGNED_NUMBER.findall(text)]))
    if answer.importance is not None and answer.importance not in numbers:
        raise BadAnswer("The importance is not a number in the note: use null if the note has none.")
    if answer.emotion is not None and not set(answer.emotion.model_dump().values()) <= numbers:
        raise BadAnswer("The emotion has numbers that are not in the note: use null unless the note has all six.")
    try:
        scene_of(answer)
    except Unparsable as fault:
        raise BadAnswer(f"It is {fault}.") from None


def scene_of(answer: RepairedScene) -> SceneInput:
    """Parse a repaired scene as if a producer had sent it.

    Raises:
        Unparsable: It is no valid scene.
    """
    return parse_scene(unescaped_texts(answer.model_dump(exclude_none=True)))


def repair_scenes(llm: LlmSession, unparsable: Sequence[tuple[Note, str]]) -> dict[UUID, SceneInput]:
    """Ask the model once to repair each note.

    Args:
        unparsable: The notes with their parse errors.

    Returns:
        The repaired scenes by note id.

    Raises:
        ProviderError: The model is unavailable.
    """
    short_enough = [(note, fault) for note, fault in unparsable if estimated_tokens(_text(note)) <= MOST_TOKENS]
    answers = llm.ask_all(
        [(REPAIR.question("", material(note, fault)), partial(check, note)) for note, fault in short_enough]
    )
    return {
        note.note_id: scene_of(answer.answer)
        for (note, _), answer in zip(short_enough, answers, strict=True)
        if isinstance(answer, ValidAnswer)
    }


def _text(note: Note) -> str:
    return note.content if isinstance(note.content, str) else json.dumps(note.content, ensure_ascii=False)


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], base=16)) if escape[1] else " "
