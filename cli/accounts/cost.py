"""`patrol cost`: the model calls, their tokens and their cost."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import groupby
from typing import Annotated
from uuid import UUID

from rich.table import Table
from rich.text import Text
from typer import Option

from cli.console.ledger import find_being, find_user, opened
from cli.console.options import JsonOption
from cli.console.output import remark, say, say_list, table, words
from memory.accounts import lookup
from memory.llm import spending
from schemas.llm.calls import Lacking, PaidWith, Spending

DAYS = 30
BUDGETS: dict[Lacking, str] = {
    "tokens": "budget in tokens",
    "cost": "budget in money",
    "price": "budget in money, because a price is unknown (see PATROL_PRICES),",
}
PAYERS: dict[PaidWith, str] = {"platform": "platform's", "user": "user's", "request": "request's"}
# Of the columns behind the purpose: they line up though each group is a table.
WIDTHS = (5, 9, 9, 8, 9)
SMALLEST_SHOWN = Decimal("0.0001")


def cost(
    being: Annotated[
        str | None, Option("--being", "-b", metavar="SLUG|ID", help="Only of this Being.", show_default=False)
    ] = None,
    owner: Annotated[
        str | None, Option("--user", "-u", metavar="NAME|ID", help="Only of this user.", show_default=False)
    ] = None,
    days: Annotated[int, Option(min=1, max=36500, help="Of so many days, with today.")] = DAYS,
    *,
    as_json: JsonOption = False,
) -> None:
    """Show calls of models, their tokens and cost by day, Being, purpose and model, newest day first."""
    with opened() as on:
        owner_id = None if being is None else find_being(on, being, owner).being_id
        user_id = None if owner is None else find_user(on, owner).user_id
        since = (datetime.now(UTC) - timedelta(days=days)).date() + timedelta(days=1)
        found = spending.lines(on.store, user_id, owner_id, since=since)
        slugs = {one.being_id: one.slug for one in lookup.beings_named(on.store, None, None)}
        reached = spending.reached(on.store, user_id, owner_id)
    if as_json:
        return say_list("spending", found)
    if not found:
        say("No model was called.")
    for number, (heading, lines) in enumerate(groupby(sorted(found, key=_group), _group)):
        at, being_id, model, paid_with = heading
        owner_name = words(slugs.get(UUID(being_id), "")) if being_id else "across Beings"
        paid = (f"with the {PAYERS[paid_with]} key", "dim")
        say(Text.assemble((f"{date.fromordinal(-at)}", "bold"), f"  {owner_name}  {words(model)}  ", paid))
        say(_table(lines, header=number == 0))
    if found:
        say(f"Together {_sum(found)}.")
    if any(line.unsettled for line in found):
        remark("Calls in progress, or whose worker crashed, count with the most that they can cost.")
    for each in reached:
        who = f"The Being {slugs.get(each.being_id, '')}" if each.being_id else "A user, for work across Beings,"
        remark(
            f"{words(who)} has reached its {BUDGETS[each.lacking]} of today, {each.day}: work that needs a model waits "
            "until tomorrow. Raise it with `patrol being budget`, or for all Beings with PATROL_DAILY_COST."
        )
    return None


def _group(line: Spending) -> tuple[int, str, str, PaidWith]:
    """The heading of a line: its negative day, so that the newest comes first, its Being, model and payer."""
    return -line.day.toordinal(), str(line.being_id or ""), line.model, line.paid_with


def _table(lines: Iterable[Spending], *, header: bool) -> Table:
    """The numbers of each purpose, in columns that fit a terminal of 80."""
    shown = table("*purpose", ">calls", ">input", ">cached", ">output", ">dollars")
    shown.show_header = header
    for column, width in zip(shown.columns[1:], WIDTHS, strict=True):
        column.min_width = width
    for line in lines:
        shown.add_row(
            words(line.purpose),
            str(line.calls),
            str(line.input_tokens + line.cache_write_tokens),
            str(line.cache_read_tokens),
            str(line.output_tokens),
            _dollars(line),
        )
    return shown


def _dollars(line: Spending) -> str:
    """The cost of a line, with a `+` where calls of unknown price come on top."""
    if line.cost is None:
        return "unknown"
    return f"{_short(line.cost)}{'+' if line.unpriced else ''}"


def _sum(found: list[Spending]) -> str:
    known = sum((line.cost for line in found if line.cost is not None), Decimal(0))
    unpriced = sum(line.unpriced for line in found)
    return f"{_short(known)} dollars" + (f", and {unpriced} calls whose price is unknown" if unpriced else "")


def _short(dollars: Decimal) -> str:
    return f"{dollars:.4f}" if dollars >= SMALLEST_SHOWN or not dollars else "<0.0001"
