"""`patrol cost`: what models have cost."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated

from typer import Option

from cli.ledger import find_being, find_user, opened
from cli.options import JsonOption
from cli.output import remark, say, say_json, table, words
from schemas.limits import SPENDING_LINES
from schemas.thinking import Spending
from store import calls, users

DAYS = 30
SMALLEST_SHOWN = Decimal("0.0001")


def cost(
    being: Annotated[
        str | None, Option("--being", "-b", metavar="SLUG|ID", help="Of this Being alone.", show_default=False)
    ] = None,
    owner: Annotated[
        str | None, Option("--user", "-u", metavar="NAME|ID", help="Of this user alone.", show_default=False)
    ] = None,
    days: Annotated[int, Option(min=1, max=36500, help="Of so many days, today counted.")] = DAYS,
    *,
    as_json: JsonOption = False,
) -> None:
    """Show calls of models, their tokens and cost by day, Being, purpose and model, newest day first."""
    with opened() as on:
        owner_id = None if being is None else find_being(on.store, being, owner).being_id
        with on.store.transaction() as tx:
            user_id = None if owner is None else find_user(tx, owner).user_id
            since = (datetime.now(UTC) - timedelta(days=days)).date() + timedelta(days=1)
            found = calls.spending(tx, user_id=user_id, owner_id=owner_id, since=since, limit=SPENDING_LINES)
            slugs = {one.being_id: one.slug for one in users.all_beings(tx)}
    if as_json:
        return say_json(found)
    shown = table("day", "being", "*purpose", "model", "paid by", ">calls", ">read", ">cached", ">said", ">dollars")
    for line in found:
        shown.add_row(
            f"{line.day}",
            words(slugs.get(line.being_id, "")) if line.being_id else "–",
            words(line.purpose),
            words(line.model),
            line.paid_with,
            str(line.calls),
            str(line.input_tokens + line.cache_write_tokens),
            str(line.cache_read_tokens),
            str(line.output_tokens),
            _dollars(line),
        )
    say(shown if found else "No model was called.")
    if found:
        say(f"Together {_sum(found)}.")
    if any(line.unsettled for line in found):
        remark("Calls under way, or whose end nobody saw, count at the most that they can have come to.")
    return None


def _dollars(line: Spending) -> str:
    """What a line cost, with a `+` where calls of unknown price come on top."""
    if line.cost is None:
        return "unknown"
    return f"{_short(line.cost)}{'+' if line.unpriced else ''}"


def _sum(found: list[Spending]) -> str:
    known = sum((line.cost for line in found if line.cost is not None), Decimal(0))
    unpriced = sum(line.unpriced for line in found)
    return f"{_short(known)} dollars" + (f", and {unpriced} calls whose price is unknown" if unpriced else "")


def _short(dollars: Decimal) -> str:
    return f"{dollars:.4f}" if dollars >= SMALLEST_SHOWN or not dollars else "<0.0001"
