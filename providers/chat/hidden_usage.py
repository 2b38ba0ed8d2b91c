"""Takes the piece with the usage out of a stream, for a client that did not ask for one."""

import json
import re
from typing import Any

# A longer line is passed on as it comes: the piece has no words in it.
MOST_LINE = 64 * 1024
_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")


class WithoutUsage:
    """A stream of server-sent events without the one that has usage, and no choices.

    Everything else is passed on byte for byte, each line when it is complete.
    """

    def __init__(self) -> None:
        self._held = bytearray()
        self._removed = False

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes of the stream; returns those to pass on."""
        self._held += chunk
        passed, begins = bytearray(), 0
        for end in _LINE_END.finditer(bytes(self._held)):
            passed += self._shown(bytes(self._held[begins : end.end()]))
            begins = end.end()
        del self._held[:begins]
        if len(self._held) > MOST_LINE:
            passed += self._held
            self._held.clear()
        return bytes(passed)

    def rest(self) -> bytes:
        """Return the bytes of a line that the stream ended in, unless it is the usage."""
        held = bytes(self._held)
        self._held.clear()
        return self._shown(held)

    def _shown(self, line: bytes) -> bytes:
        # The empty line that ends the event goes with it.
        hidden = self._removed and not line.strip()
        self._removed = not hidden and _is_usage(line)
        return b"" if hidden or self._removed else line


def _is_usage(line: bytes) -> bool:
    if b'"usage"' not in line:
        return False
    try:
        piece: Any = json.loads(line.removeprefix(b"data:"))
    except (ValueError, RecursionError):
        return False
    return isinstance(piece, dict) and isinstance(piece.get("usage"), dict) and not piece.get("choices")
