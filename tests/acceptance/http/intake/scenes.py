"""Notes for tests to hand in."""

from typing import Any


def scene(action: str = "The oven failed during the morning bake.", **changes: Any) -> dict[str, Any]:
    """A scene note; what is named goes into its content."""
    content = {"action": action, "actors": ["Mira", "Jon"], "when": ["2026-03-02"], **changes}
    return {"type": "scene", "content": content}
