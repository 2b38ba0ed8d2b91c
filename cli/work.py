"""`patrol work`: what must get done, and what could not be."""

from typing import Annotated, get_args
from uuid import UUID

from typer import Argument, BadParameter, Option, Typer

from cli.ledger import opened, ring
from cli.options import CursorOption, JsonOption, LimitOption
from cli.output import day, say, say_json, say_page, table, words
from memory import dead_letters
from schemas.limits import PAGE_NODES
from schemas.rows import WorkState

work = Typer(help="What must get done, and what could not be.", no_args_is_help=True)

WorkArgument = Annotated[UUID, Argument(metavar="WORK", help="The work's id, as the list shows it.")]
STATES = get_args(WorkState)


@work.command("list")
def list_work(
    state: Annotated[str, Option(metavar="|".join(STATES), help="Only what is in this state.")] = "dead",
    limit: LimitOption = PAGE_NODES,
    cursor: CursorOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List work of everybody, oldest first; by default what is dead."""
    if state not in STATES:
        raise BadParameter(f"no such state: {words(state)}. There are {', '.join(STATES)}.", param_hint="--state")
    with opened() as on:
        page = dead_letters.work_page(on.store, None, state=state, cursor=cursor, limit=limit)
    shown = table("work", "kind", "since", ">attempts", "*error")
    for unit in page.work:
        shown.add_row(str(unit.work_id), unit.kind, day(unit.created_at), str(unit.attempts), words(unit.error))
    say_page(page, shown if page.work else f"No work is {state}.", as_json=as_json)


@work.command("show")
def show_work(unit: WorkArgument) -> None:
    """Show a unit of work as JSON."""
    with opened() as on:
        say_json(dead_letters.show(on.store, None, unit))


@work.command("replay")
def replay_work(unit: WorkArgument) -> None:
    """Give dead work another life. A dead step of a patrol is replayed as a new patrol."""
    with opened() as on:
        ring(dead_letters.replay(on.store, on.settings, None, unit))
    say("It is due once more.")


@work.command("drop")
def drop_work(unit: WorkArgument) -> None:
    """Let dead work go."""
    with opened() as on:
        dead_letters.drop(on.store, None, unit)
    say("It is gone from the ledger.")
