"""Parses scenes, and renders them for embedding and for people (patrol seed, "Scene Format")."""

import hashlib
import json
import re
from typing import Any

from pydantic import ValidationError

from providers.json_text import only_object
from schemas.intake.inputs import SceneInput
from schemas.limits import WHEN_ITEMS_EMBEDDED
from schemas.text.storable import storable, unstorable
from schemas.text.validation_messages import bounded, validation_messages

CODE_BLOCK = re.compile(r"```(?:json)?[^\S\n]*+\n(.*?)```", re.DOTALL)


class Unparsable(ValueError):
    """A scene note's content is no valid scene; the message says why."""


def parse_scene(content: Any) -> SceneInput:
    """Parse a scene note's content, an object or a string with JSON, which a model may have put into a code block.

    Raises:
        Unparsable: It is no JSON, or no valid scene; the message names the field.
    """
    if isinstance(content, str):
        content = _read_json(content)
    faults = bounded(unstorable(content))
    if faults:
        raise Unparsable("not a scene: " + "; ".join(faults))
    try:
        return SceneInput.model_validate(storable(content))
    except ValidationError as error:
        raise Unparsable("not a scene: " + "; ".join(validation_messages(error))) from None


def _read_json(text: str) -> Any:
    try:
        return _loads(text)
    except json.JSONDecodeError as error:
        raise Unparsable(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise Unparsable("not JSON that can be read: nested too deeply") from None
    except ValueError:
        raise Unparsable("not JSON that can be read: it holds a number with too many digits") from None


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        blocks = CODE_BLOCK.findall(text)
        if (found := only_object(blocks[0] if len(blocks) == 1 else text)) is None:
            raise
        return json.loads(found)


def embedding_text(scene: dict[str, Any], feeling: str | None) -> str:
    """The seed's `nodeToEmbedText(when + action + feeling)`.

    Action and feeling are whole. `when` contributes every date once, and the actions of its three newest items, so that
    a long history does not outweigh the action.
    """
    items = scene["when"]
    dates = dict.fromkeys(_date(item) for item in items)
    lines = [item["action"] for item in items[-WHEN_ITEMS_EMBEDDED:] if isinstance(item, dict)]
    return " ".join(part for part in (", ".join(dates), *lines, scene["action"], feeling) if part)


def text_hash(text: str) -> bytes:
    """Hash an embedded text: sha256, 32 bytes."""
    return hashlib.sha256(text.encode()).digest()


def scene_to_text(scene: dict[str, Any], feeling: str | None) -> str:
    """The seed's `sceneToText`: when — setting — action — "first dialogue line" — (feeling), without absent parts."""
    dialogue = scene.get("dialogue") or []
    parts = (
        ", ".join(dict.fromkeys(_date(item) for item in scene["when"])),
        scene.get("setting"),
        with_realm(scene, scene["action"]),
        f'"{dialogue[0]}"' if dialogue else None,
        f"({feeling})" if feeling else None,
    )
    return " — ".join(part for part in parts if part)


def with_realm(scene: dict[str, Any], text: str) -> str:
    """Put `[role-play]` or `[hypothetical]` in front of a text about a scene that did not really happen."""
    realm = scene.get("realm", "real")
    return text if realm == "real" else f"[{realm}] {text}"


def _date(item: str | dict[str, str]) -> str:
    return item["date"] if isinstance(item, dict) else item
