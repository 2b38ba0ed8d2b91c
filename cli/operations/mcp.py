"""`patrol mcp`: serves a Being's memory as MCP tools over stdio."""

import sys

from cli.console.failures import Failure
from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, OwnerOption


def mcp(being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Serve one Being's memory to a model by the Model Context Protocol over stdin and stdout.

    Claude Desktop, Claude Code, Cursor and other MCP clients start this command themselves: see docs/interfaces.md.
    """
    if sys.stdout.isatty():
        raise Failure("`patrol mcp` speaks MCP on stdin and stdout: let an MCP client start it (docs/interfaces.md).")
    from api.mcp.tools import Mcp  # noqa: PLC0415  # loads slowly, and other commands do not need it
    from memory.accounts.access import Caller  # noqa: PLC0415  # likewise

    with opened() as on:
        found = find_being(on.store, being, owner)
        caller = Caller(found.user_id, found.being_id, frozenset({"ingest", "read"}))
        Mcp(lambda _: (on, caller)).server.run("stdio")
