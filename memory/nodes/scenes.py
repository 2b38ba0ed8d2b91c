"""Parses scenes, and renders them for embedding and for people (patrol seed, "Scene Format")."""

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from providers.answers.json_text import only_object
from schemas.intake.inputs import OWN_FIELDS, SCENE_FIELDS, SceneInput
from schemas.intake.scene_fields import Line
from schemas.limits import WHEN_ITEMS_EMBEDDED
from schemas.nodes.nodes import Node, ShownNode
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


def scene_fields(node: Node | ShownNode) -> dict[str, Any]:
    """Return the fields of a node's scene as a producer sends them; absent ones are missing or None."""
    return {**node.scene, **{name: getattr(node, name) for name in OWN_FIELDS}}


def embedding_text(scene: dict[str, Any], feeling: str | None) -> str:
    """The seed's `nodeToEmbedText(when + action + feeling)`.

    Action and feeling are whole. `when` contributes every date once, and the actions of its three newest items, so that
    a long history does not outweigh the action.
    """
    placed = sorted((field.embedded, name) for name, field in SCENE_FIELDS.items() if field.embedded is not None)
    values = {**scene, "feeling": feeling}
    return " ".join(part for _, name in placed for part in _embedded(values.get(name)) if part)


def _embedded(value: Any) -> list[str]:
    if not isinstance(value, list):
        return [value or ""]
    return [_dates(value), *(item["action"] for item in value[-WHEN_ITEMS_EMBEDDED:] if isinstance(item, dict))]


def text_hash(text: str) -> bytes:
    """Hash a text that is embedded, or was shown to a session: sha256, 32 bytes."""
    return hashlib.sha256(text.encode()).digest()


def scene_to_text(scene: dict[str, Any], feeling: str | None) -> str:
    """The seed's `sceneToText`: when — setting — action — "first dialogue line" — (feeling), without absent parts."""
    values = {**scene, "feeling": feeling, "action": with_realm(scene, scene["action"])}
    lines = sorted((field.line.place, name, field.line) for name, field in SCENE_FIELDS.items() if field.line)
    return " — ".join(part for _, name, line in lines if (part := _part(line, values.get(name))))


def _part(line: Line, value: Any) -> str:
    if isinstance(value, list):
        value = _dates(value[:1] if line.first else value)
    return line.form.format(value) if value else ""


def with_realm(scene: dict[str, Any], text: str) -> str:
    """Put `[role-play]` or `[hypothetical]` in front of a text about a scene that did not really happen."""
    realm = scene.get("realm", "real")
    return text if realm == "real" else f"[{realm}] {text}"


def _dates(items: Sequence[str | dict[str, str]]) -> str:
    return ", ".join(dict.fromkeys(item["date"] if isinstance(item, dict) else item for item in items))
