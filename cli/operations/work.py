"""`patrol work`: lists the ledger's work, and replays or drops dead work."""

from typing import Annotated, get_args
from uuid import UUID

from typer import Argument, BadParameter, Option, Typer

from cli.console.ledger import opened
from cli.console.options import CursorOption, JsonOption, LimitOption
from cli.console.output import day, say, say_json, say_page, table, words
from memory.operations import dead_letters
from schemas.ledger.work import WorkState
from schemas.limits import PAGE_NODES

work = Typer(help="The ledger: list work; replay or drop dead work.", no_args_is_help=True)

WorkArgument = Annotated[UUID, Argument(metavar="WORK", help="The unit's id, as in the list.")]
STATES = get_args(WorkState)


@work.command("list")
def list_work(
    state: Annotated[str, Option(metavar="|".join(STATES), help="Only work in this state.")] = "dead",
    limit: LimitOption = PAGE_NODES,
    cursor: CursorOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List all users' work, oldest first; by default dead work."""
    if state not in STATES:
        raise BadParameter(f"no such state: {words(state)}. There are {', '.join(STATES)}.", param_hint="--state")
    with opened() as on:
        page = dead_letters.work_page(on.store, None, state=state, cursor=cursor, limit=limit)
    shown = table("work", "kind", "since", ">attempts", "*error")
    for unit in page.work:
        kind = unit.kind if unit.known else f"{unit.kind} (unknown to this version)"
        shown.add_row(str(unit.work_id), kind, day(unit.created_at), str(unit.attempts), words(unit.error))
    say_page(page, shown if page.work else f"No work is {state}.", as_json=as_json)


@work.command("show")
def show_work(unit: WorkArgument) -> None:
    """Show a unit of work as JSON."""
    with opened() as on:
        say_json(dead_letters.show(on.store, None, unit))


@work.command("replay")
def replay_work(unit: WorkArgument) -> None:
    """Make dead work ready again. A dead step of a patrol is replayed as a new patrol."""
    with opened() as on:
        dead_letters.replay(on.store, on.settings, None, unit)
    say("The work is ready again.")


@work.command("drop")
def drop_work(unit: WorkArgument) -> None:
    """Remove dead work, or waiting work of a kind that this version does not know."""
    with opened() as on:
        dead_letters.drop(on.store, None, unit)
    say("The work was removed from the ledger.")
