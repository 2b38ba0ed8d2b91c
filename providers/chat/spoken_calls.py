"""Calls of tools by which an agent speaks: an argument has its words, and its text beside the call is a thought.

Letta's agents speak so. A tool of the same name that is given more, as a recipient, sends a message to another person.
"""

import json
from typing import Any

# The tools, with the argument that has the words.
_WORDS_IN = {"send_message": "message"}
# Further arguments of such a call: a thought, and whether the agent goes on.
_BESIDE_WORDS = frozenset(("inner_thoughts", "thinking", "request_heartbeat"))


def is_speech_tool(name: Any) -> bool:
    """Whether an agent speaks by calls of a tool of this name."""
    return isinstance(name, str) and name in _WORDS_IN


def spoken_by_call(name: Any, given: Any) -> str | None:
    """Return the words of a call by which an agent speaks; None if the call has none.

    Args:
        name: The tool's name.
        given: The arguments of the call, as JSON or as their value.
    """
    if not is_speech_tool(name):
        return None
    if isinstance(given, str):
        try:
            given = json.loads(given, strict=False)
        except (ValueError, RecursionError):
            return None
    if not isinstance(given, dict) or not given.keys() <= {_WORDS_IN[name], *_BESIDE_WORDS}:
        return None
    words = given.get(_WORDS_IN[name])
    return words if isinstance(words, str) and words.strip() else None


def spoken_by_calls(calls: Any) -> list[str]:
    """Return the words of a message's tool calls in the form of chat completions; other shapes have none."""
    found = []
    for call in calls if isinstance(calls, list) else [calls]:
        within = call.get("function", call) if isinstance(call, dict) else None
        if isinstance(within, dict) and (words := spoken_by_call(within.get("name"), within.get("arguments"))):
            found.append(words)
    return found
