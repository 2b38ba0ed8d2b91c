"""`patrol due`: todos, promises and reminders whose time has come."""

from collections.abc import Iterable
from typing import Any

from cli.console.declared import Group
from cli.console.output import short, table
from operations.facts import due as operations
from schemas.facts.due import DueItem, DueNotices, DuePage


def _table(items: Iterable[DueItem]) -> list[Any]:
    rows = []
    for one in items:
        secret = "yes" if one.in_confidence else ""
        rows.append((short(one.item_id), one.kind, f"{one.due_at:%Y-%m-%d %H:%M %Z}", secret, one.content))
    return [table("item", "kind", "due", "in confidence", "*content", rows=rows)]


due = Group(
    operations,
    "What is due: todos, promises and reminders whose time has come.",
    views={DuePage: lambda page: _table(page.due), DueNotices: lambda found: _table(found.notices)},
).commands
