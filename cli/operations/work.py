"""`patrol work`: lists the ledger's work, and replays or drops dead work."""

from typing import Any

from cli.console.declared import Group
from cli.console.output import listing
from operations.ledger import work as operations
from schemas.ledger.work import WorkPage


def _page(page: WorkPage) -> list[Any]:
    rows = []
    for unit in page.work:
        kind = unit.kind if unit.known else f"{unit.kind} (unknown to this version)"
        rows.append((unit.work_id, kind, unit.created_at, unit.attempts, unit.error))
    return [listing("There is no such work.", "work", "kind", "since", ">attempts", "*error", rows=rows)]


work = Group(
    operations,
    "The ledger: list work; replay or drop dead work.",
    views={WorkPage: _page},
).commands
