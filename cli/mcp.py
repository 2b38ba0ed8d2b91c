"""`patrol mcp`: a Being's memory as tools of a model that runs on this machine."""

from cli.ledger import find_being, opened, ring
from cli.options import BeingOption, OwnerOption


def mcp(being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Offer one Being's memory to a model, by the Model Context Protocol over stdin and stdout.

    Claude Desktop, Claude Code, Cursor and others start it themselves: see docs/doors.md.
    """
    from api.mcp import Mcp  # noqa: PLC0415  # it takes its time to load, and other commands do without
    from memory.access import Caller  # noqa: PLC0415  # likewise

    with opened() as on:
        whose = find_being(on.store, being, owner)
        caller = Caller(whose.user_id, whose.being_id, frozenset({"ingest", "read"}))
        Mcp(lambda _: (on, caller), ring).server.run("stdio")
