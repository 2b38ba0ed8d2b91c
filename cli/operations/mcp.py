"""`patrol mcp`: serves a Being's memory as MCP tools over stdio."""

import io
import sys
from typing import BinaryIO

from cli.console.failures import Failure
from cli.console.ledger import find_being, open_ledger
from cli.console.options import BeingOption, OwnerOption
from schemas.text.storable import decoded, storable_json


def mcp(being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Serve one Being's memory to a model by the Model Context Protocol over stdin and stdout.

    Claude Desktop, Claude Code, Cursor and other MCP clients start this command themselves: see docs/interfaces.md.
    """
    if sys.stdout.isatty():
        raise Failure("`patrol mcp` speaks MCP on stdin and stdout: let an MCP client start it (docs/interfaces.md).")
    from api.mcp.mcp_server import Mcp  # noqa: PLC0415  # loads slowly, and other commands do not need it
    from memory.accounts.access import Caller  # noqa: PLC0415  # likewise

    with open_ledger() as on:
        found = find_being(on, being, owner)
        caller = Caller(found.user_id, found.being_id, frozenset({"ingest", "read"}))
        # The MCP server's parser refuses halves of characters, and answers nothing then.
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_StorableLines(sys.stdin.buffer)))
        Mcp(lambda _: (on, caller)).run()


class _StorableLines(io.RawIOBase):
    """Lines of JSON, of which all text can be stored; a line that is no JSON passes unchanged.

    Args:
        lines: The lines as they come.
    """

    def __init__(self, lines: BinaryIO) -> None:
        self._lines = lines
        self._rest = b""

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # type: ignore[override]  # as `io` calls it
        """Read a part of the next line into a buffer; returns its length, 0 at the end."""
        self._rest = self._rest or _storable_line(self._lines.readline())
        part, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def _storable_line(line: bytes) -> bytes:
    try:
        text = decoded(line)
        return line if (mended := storable_json(text)) == text else mended.encode() + b"\n"
    except UnicodeError:
        return line
