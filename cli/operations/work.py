"""`patrol work`: lists the ledger's work, and replays or drops dead work."""

from typing import Any

from cli.console.declared import Group
from cli.console.output import day, table, words
from operations.ledger import work as operations
from schemas.ledger.work import WorkPage


def _page(page: WorkPage) -> list[Any]:
    shown = table("work", "kind", "since", ">attempts", "*error")
    for unit in page.work:
        kind = unit.kind if unit.known else f"{unit.kind} (unknown to this version)"
        shown.add_row(str(unit.work_id), kind, day(unit.created_at), str(unit.attempts), words(unit.error))
    return [shown if page.work else "There is no such work."]


work = Group(
    operations,
    "The ledger: list work; replay or drop dead work.",
    views={WorkPage: _page},
).commands
