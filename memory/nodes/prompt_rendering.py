"""Renders nodes for prompts: each between tags, under a short reference."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from memory.nodes.scenes import scene_fields, scene_to_text
from memory.text.prompt_escaping import tagged
from providers.tokens import estimated_tokens
from schemas.intake.inputs import SCENE_FIELDS
from schemas.nodes.nodes import ShownNode

# A node that takes more tokens is shown shortened: ten of this size fill a prompt batch.
NODE_TOKENS = 800
SHORTENED_CHARACTERS = 600


def shown(nodes: Mapping[str, ShownNode], *, states: bool) -> str:
    """Render nodes as JSON by their references, with their states and importance if `states`."""
    return "\n".join(_tagged(reference, node, states=states) for reference, node in nodes.items())


def lines(nodes: Iterable[ShownNode]) -> str:
    """Render nodes as readable lines (`scene_to_text`), each between tags."""
    return "\n".join(tagged("memory", _cut(scene_to_text(node.scene, node.feeling))) for node in nodes)


def shown_whole(node: ShownNode) -> bool:
    """Whether a node is shown in full."""
    return _fits(_whole(node))


def shown_tokens(node: ShownNode) -> int:
    """Estimate the tokens of a rendered node."""
    whole = _whole(node)
    return estimated_tokens(whole if _fits(whole) else _shortened(node)) + 20


def _tagged(reference: str, node: ShownNode, *, states: bool) -> str:
    whole = _whole(node)
    fits = _fits(whole)
    attributes = {"state": _state(node, shortened=not fits), "importance": f"{node.importance:.2f}"} if states else {}
    return tagged("memory", whole if fits else _shortened(node), ref=reference, **attributes)


def _fits(whole: str) -> bool:
    return estimated_tokens(whole) <= NODE_TOKENS


def _shortened(node: ShownNode) -> str:
    return _json({"action": _cut(node.scene["action"])})


def _whole(node: ShownNode) -> str:
    fields = {name: _newest(value, SCENE_FIELDS[name].most_in_prompts) for name, value in scene_fields(node).items()}
    return _json({name: value for name, value in fields.items() if value})


def _newest(value: Any, most: int | None) -> Any:
    """Return the shown part of a field: only the newest items of a long history; a merge keeps the others."""
    if most == 0:
        return None
    if not isinstance(value, list):
        return value
    items = [f"{item['date']}: {item['action']}" if isinstance(item, dict) else item for item in value]
    return items[-most:] if most else items


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _state(node: ShownNode, *, shortened: bool) -> str:
    states = {
        "fresh": node.fresh,
        "dying": node.may_die,
        "fading": node.status == "dying" and not node.may_die,
        "pinned": node.pinned,
        "shortened": shortened,
    }
    return " ".join(state for state, holds in states.items() if holds) or "settled"


def _cut(text: str) -> str:
    return text if len(text) <= SHORTENED_CHARACTERS else f"{text[:SHORTENED_CHARACTERS]}…"
