"""Nodes as a model is shown them, for tests of the rules."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from schemas.intake.inputs import Scene
from schemas.nodes.nodes import ShownNode

TOPIC = UUID(int=1)
BEGAN = datetime(2026, 3, 1, tzinfo=UTC)


def made_up(number: int = 1, action: str = "Pip mended the roof.", **changes: Any) -> ShownNode:
    """Return the `number`th node of its topic; keywords are fields of the scene and of the node."""
    scene = {"action": action, "actors": ["Pip"], "when": ["2026-03-02"]}
    scene |= {name: changes.pop(name) for name in Scene.model_fields if name in changes}
    usual: dict[str, Any] = {
        "node_id": UUID(int=100 + number),
        "cluster_id": TOPIC,
        "scene": scene,
        "feeling": None,
        "themes": [],
        "emotion": None,
        "importance": 0.5,
        "status": "active",
        "fresh": False,
        "pinned": False,
        "created_at": BEGAN + timedelta(minutes=number),
        "revision": 1,
    }
    return ShownNode(**(usual | changes))
