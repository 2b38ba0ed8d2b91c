"""How memories are shown to a model: each in its fence, under a short reference."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from memory.fences import fenced
from memory.scene import scene_to_text
from providers.tokens import estimated_tokens
from schemas.rows import ShownNode

# A memory that takes more is shown shortened: ten of them fill a part.
NODE_TOKENS = 800
SHORTENED_CHARACTERS = 600
NEWEST_DATES = 5


def shown(nodes: Mapping[str, ShownNode], *, states: bool) -> str:
    """Memories by their references, as JSON of what they tell; with their states where those matter."""
    return "\n".join(
        fenced("memory", _told(node), ref=reference, **({"state": _state(node)} if states else {}))
        for reference, node in nodes.items()
    )


def lines(nodes: Iterable[ShownNode]) -> str:
    """Memories as a person reads them, each a line in its fence."""
    return "\n".join(fenced("memory", _cut(scene_to_text(node.scene, node.feeling))) for node in nodes)


def shown_whole(node: ShownNode) -> bool:
    """Whether a memory is short enough to be shown with all that it tells."""
    return estimated_tokens(_whole(node)) <= NODE_TOKENS


def shown_tokens(node: ShownNode) -> int:
    """About how many tokens it takes to show a memory."""
    return estimated_tokens(_told(node)) + 20


def _told(node: ShownNode) -> str:
    return _whole(node) if shown_whole(node) else _json({"action": _cut(node.scene["action"])})


def _whole(node: ShownNode) -> str:
    # Of a long history the newest: the rest is kept whatever becomes of the memory.
    when = [item if isinstance(item, str) else f"{item['date']}: {item['action']}" for item in node.scene["when"]]
    told = {**node.scene, "when": when[-NEWEST_DATES:], "feeling": node.feeling, "themes": node.themes}
    return _json({name: value for name, value in told.items() if value})


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _state(node: ShownNode) -> str:
    states = {
        "fresh": node.fresh,
        "dying": node.status == "dying",
        "pinned": node.pinned,
        "shortened": not shown_whole(node),
    }
    return " ".join(state for state, holds in states.items() if holds) or "settled"


def _cut(text: str) -> str:
    return text if len(text) <= SHORTENED_CHARACTERS else f"{text[:SHORTENED_CHARACTERS]}…"
