"""A scene as text: what is embedded of it, and how a person reads it (patrol seed, "Scene Format")."""

import hashlib
import json
from typing import Any

from pydantic import ValidationError

from schemas.complaints import complaints
from schemas.keepable import unkeepable
from schemas.limits import WHEN_ITEMS_EMBEDDED
from schemas.wire import SceneInput


class Unparsable(ValueError):
    """A scene note's content is no scene."""


def parse_scene(content: Any) -> SceneInput:
    """Read a scene note's content, an object or the string that a model wrote.

    Raises:
        Unparsable: It is no JSON, or no scene; the text names the place.
    """
    if isinstance(content, str):
        content = _read_json(content)
    faults = list(unkeepable(content))
    if faults:
        raise Unparsable("not a scene: " + "; ".join(faults))
    try:
        return SceneInput.model_validate(content)
    except ValidationError as error:
        raise Unparsable("not a scene: " + "; ".join(complaints(error))) from None


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Unparsable(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise Unparsable("not JSON that can be read: nested too deeply") from None
    except ValueError:
        raise Unparsable("not JSON that can be read: it holds a number with too many digits") from None


def embedding_text(scene: dict[str, Any], feeling: str | None) -> str:
    """The seed's `nodeToEmbedText(when + action + feeling)`.

    Action and feeling are whole. `when` gives every date once, and the lines of its three newest items, so that the
    history of a node that has absorbed many does not drown what happened.
    """
    items = scene["when"]
    dates = dict.fromkeys(_date(item) for item in items)
    lines = [item["action"] for item in items[-WHEN_ITEMS_EMBEDDED:] if isinstance(item, dict)]
    return " ".join(part for part in (", ".join(dates), *lines, scene["action"], feeling) if part)


def text_hash(text: str) -> bytes:
    """What tells two texts apart without keeping them: sha256, 32 bytes."""
    return hashlib.sha256(text.encode()).digest()


def scene_to_text(scene: dict[str, Any], feeling: str | None) -> str:
    """The seed's `sceneToText`: when — setting — action — "first dialogue line" — (feeling), without what is absent."""
    dialogue = scene.get("dialogue") or []
    parts = (
        ", ".join(dict.fromkeys(_date(item) for item in scene["when"])),
        scene.get("setting"),
        scene["action"],
        f'"{dialogue[0]}"' if dialogue else None,
        f"({feeling})" if feeling else None,
    )
    return " — ".join(part for part in parts if part)


def _date(item: str | dict[str, str]) -> str:
    return item["date"] if isinstance(item, dict) else item
