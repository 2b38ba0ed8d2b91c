"""Renders nodes for prompts: each between tags, under a short reference."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from memory.nodes.scenes import scene_to_text
from memory.text.prompt_escaping import tagged
from providers.tokens import estimated_tokens
from schemas.nodes.nodes import ShownNode

# A node that takes more tokens is shown shortened: ten of this size fill a prompt batch.
NODE_TOKENS = 800
SHORTENED_CHARACTERS = 600
NEWEST_DATES = 5


def shown(nodes: Mapping[str, ShownNode], *, states: bool) -> str:
    """Render nodes as JSON by their references, with their states and importance if `states`."""
    return "\n".join(
        tagged("memory", _rendered(node), ref=reference, **(_consolidation_attributes(node) if states else {}))
        for reference, node in nodes.items()
    )


def lines(nodes: Iterable[ShownNode]) -> str:
    """Render nodes as readable lines (`scene_to_text`), each between tags."""
    return "\n".join(tagged("memory", _cut(scene_to_text(node.scene, node.feeling))) for node in nodes)


def shown_whole(node: ShownNode) -> bool:
    """Whether a node is shown in full."""
    return estimated_tokens(_whole(node)) <= NODE_TOKENS


def shown_tokens(node: ShownNode) -> int:
    """Estimate the tokens of a rendered node."""
    return estimated_tokens(_rendered(node)) + 20


def _rendered(node: ShownNode) -> str:
    return _whole(node) if shown_whole(node) else _json({"action": _cut(node.scene["action"])})


def _whole(node: ShownNode) -> str:
    # Only the newest items of a long history are shown; a merge keeps the others.
    when = [item if isinstance(item, str) else f"{item['date']}: {item['action']}" for item in node.scene["when"]]
    fields = {**node.scene, "when": when[-NEWEST_DATES:], "feeling": node.feeling, "themes": node.themes}
    return _json({name: value for name, value in fields.items() if value})


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _consolidation_attributes(node: ShownNode) -> dict[str, str]:
    return {"state": _state(node), "importance": f"{node.importance:.2f}"}


def _state(node: ShownNode) -> str:
    states = {
        "fresh": node.fresh,
        "dying": node.may_die,
        "fading": node.status == "dying" and not node.may_die,
        "pinned": node.pinned,
        "shortened": not shown_whole(node),
    }
    return " ".join(state for state, holds in states.items() if holds) or "settled"


def _cut(text: str) -> str:
    return text if len(text) <= SHORTENED_CHARACTERS else f"{text[:SHORTENED_CHARACTERS]}…"
