"""`patrol cost`: the model calls, their tokens and their cost."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import groupby
from typing import Annotated
from uuid import UUID

from rich.table import Table
from rich.text import Text
from typer import Option

from cli.console.ledger import find_being, find_user, open_ledger
from cli.console.options import JsonOption
from cli.console.output import remark, say, say_json, table, words
from memory.accounts import lookup
from memory.llm import spending
from schemas.llm.calls import BudgetName, BudgetToday, Lacking, PaidWith, Spending

DAYS = 30
BUDGETS: dict[Lacking, str] = {
    "tokens": "budget in tokens",
    "cost": "budget in money",
    "price": "budget in money, because a price is unknown (see PATROL_PRICES),",
}
REACHED_BY: dict[BudgetName, str] = {
    "platform": "The platform",
    "user": "A user",
    "proxy": "A user, for chat completions on the platform's key,",
    "being": "A user, for work across Beings,",
}
WAITS: dict[BudgetName, str] = {
    "platform": "work that needs a model on the platform's keys waits",
    "user": "work that needs a model waits",
    "proxy": "they are refused",
    "being": "work that needs a model waits",
}
RAISE: dict[BudgetName, str] = {
    "platform": "Raise it with PATROL_PLATFORM_DAILY_COST or PATROL_PLATFORM_DAILY_TOKENS.",
    "user": "Raise it with `patrol user budget`, or for all users with PATROL_USER_DAILY_COST.",
    "proxy": "Raise it with PATROL_PROXY_DAILY_COST.",
    "being": "Raise it with `patrol being budget`, or for all Beings with PATROL_DAILY_COST.",
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
    days: Annotated[int, Option(min=1, max=36500, help="The number of days, today included.")] = DAYS,
    *,
    as_json: JsonOption = False,
) -> None:
    """Show calls of models, their tokens and cost by day, Being, purpose and model, newest day first, and budgets."""
    with open_ledger() as on:
        owner_id = None if being is None else find_being(on, being, owner).being_id
        user_id = None if owner is None else find_user(on, owner).user_id
        since = (datetime.now(UTC) - timedelta(days=days)).date() + timedelta(days=1)
        page = spending.page(on.store, on.settings, user_id, owner_id, since=since, shows_platform=True)
        slugs = {one.being_id: one.slug for one in lookup.beings_named(on.store, None, None)}
        reached = spending.reached(on.store, user_id, owner_id)
        names = {one.user_id: one.name for one in lookup.all_users(on.store)}
    if as_json:
        return say_json(page)
    found = page.spending
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
        remark("Calls in progress, and calls of crashed workers, count at their highest possible cost.")
    for each in reached:
        who = f"The Being {slugs.get(each.being_id, '')}" if each.being_id else REACHED_BY[each.budget]
        remark(
            f"{words(who)} has reached its {BUDGETS[each.lacking]} of today, {each.day}: {WAITS[each.budget]} "
            f"until tomorrow. {RAISE[each.budget]}"
        )
    _say_budgets(page.budgets, slugs, names)
    return None


def _say_budgets(budgets: list[BudgetToday], slugs: Mapping[UUID, str], names: Mapping[UUID, str]) -> None:
    """Print the spent part of the day's budgets, and warn of those that are nearly spent."""
    for budget in budgets:
        if budget.state == "near":
            remark(f"{_whose(budget, slugs, names)}: 80 % of the day's budget or more is spent. {RAISE[budget.budget]}")
    if spent := [budget for budget in budgets if budget.spent_tokens or budget.budget == "platform"]:
        shown = table("*budget of today", ">spent", ">of", ">tokens", ">of")
        for budget in spent:
            shown.add_row(
                words(_whose(budget, slugs, names)),
                _short(budget.spent_cost or Decimal(0)),
                "" if budget.limit_cost is None else f"{budget.limit_cost:f}",
                str(budget.spent_tokens),
                "" if budget.limit_tokens is None else str(budget.limit_tokens),
            )
        say(shown)


def _whose(budget: BudgetToday, slugs: Mapping[UUID, str], names: Mapping[UUID, str]) -> str:
    user = names.get(budget.user_id, "") if budget.user_id else ""
    match budget.budget:
        case "platform":
            return "platform"
        case "user":
            return f"user {user}"
        case "proxy":
            return f"chat completions of {user}"
        case "being":
            return slugs.get(budget.being_id, "") if budget.being_id else f"{user}, across Beings"


def _group(line: Spending) -> tuple[int, str, str, PaidWith]:
    """The heading of a line: its negative day, so that the newest comes first, its Being, model and payer."""
    return -line.day.toordinal(), str(line.being_id or ""), line.model, line.paid_with


def _table(lines: Iterable[Spending], *, header: bool) -> Table:
    """The numbers of each purpose, in columns that fit a terminal of 80."""
    rows = []
    for line in lines:
        read = line.input_tokens + line.cache_write_tokens, line.cache_read_tokens
        rows.append((line.purpose, line.calls, *read, line.output_tokens, _dollars(line)))
    shown = table("*purpose", ">calls", ">input", ">cached", ">output", ">dollars", rows=rows)
    shown.show_header = header
    for column, width in zip(shown.columns[1:], WIDTHS, strict=True):
        column.min_width = width
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
