"""`patrol todos`: the user's commitments, habits, open threads and frictions, as told to a Being."""

from typing import Annotated, Any, get_args
from uuid import UUID

from pydantic import ValidationError
from rich.text import Text
from typer import Argument, BadParameter, Option, Typer

from cli.console.failures import Failure
from cli.console.ledger import find_being, only, opened
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import day, say, say_json, short, table, words
from memory.facts import todos as todo_editing
from schemas.accounts.accounts import Being
from schemas.facts.requests import TodoChanges
from schemas.facts.rows import TodoStatus
from schemas.limits import LONGEST_PAGE
from schemas.text.validation_messages import validation_messages
from store.facts import todos as ledger
from workers.runtime.resources import Resources

todos = Typer(
    help="The user's commitments, habits, threads and frictions, and the Being's promises.", no_args_is_help=True
)

TodoArgument = Annotated[str, Argument(metavar="TODO", help="The todo: its id, or the end of it.")]


@todos.command("list")
def list_todos(
    being: BeingOption = None,
    owner: OwnerOption = None,
    status: Annotated[str, Option(metavar="OPEN|DONE|ARCHIVED", help="Only those.")] = "OPEN",
    *,
    as_json: JsonOption = False,
) -> None:
    """List todos, newest first."""
    if status not in get_args(TodoStatus):
        raise BadParameter("must be OPEN, DONE or ARCHIVED.", param_hint="--status")
    wanted: TodoStatus = status  # type: ignore[assignment]  # checked above
    with opened() as on:
        target = find_being(on.store, being, owner)
        page = todo_editing.page(on.store, target, status=wanted, kind=None, cursor=None, limit=LONGEST_PAGE)
    if as_json:
        return say_json(page)
    shown = table("todo", "kind", "last mention", "due", "*content")
    for todo in page.todos:
        row = (short(todo.todo_id), todo.kind, day(todo.last_told_at), words(todo.due), words(todo.content))
        shown.add_row(*row)
    return say(shown)


@todos.command("correct")
def correct(
    todo: TodoArgument,
    content: Annotated[str | None, Option(help="What the user means to do.", show_default=False)] = None,
    due: Annotated[str | None, Option(help="When, in words.", show_default=False)] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
) -> None:
    """Correct a todo."""
    _change(todo, {"content": content, "due": due}, being, owner, "Corrected")


@todos.command("done")
def done(todo: TodoArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Close a todo."""
    _change(todo, {"status": "DONE"}, being, owner, "Done")


@todos.command("archive")
def archive(todo: TodoArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Hide a todo; `patrol todos reopen` brings it back."""
    _change(todo, {"status": "ARCHIVED"}, being, owner, "Archived")


@todos.command("reopen")
def reopen(todo: TodoArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Open a todo that is done or archived."""
    _change(todo, {"status": "OPEN"}, being, owner, "Open")


@todos.command("pin")
def pin(todo: TodoArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Keep a todo from being archived."""
    _change(todo, {"pinned": True}, being, owner, "Pinned")


@todos.command("unpin")
def unpin(todo: TodoArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Unpin a todo."""
    _change(todo, {"pinned": False}, being, owner, "Unpinned")


@todos.command("erase")
def erase(todo: TodoArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Erase a todo for good."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        todo_editing.erase(on.store, target, _find(on, target, todo))
    say("Erased.")


def _change(todo: str, changes: dict[str, Any], being: str | None, owner: str | None, said: str) -> None:
    try:
        accepted = TodoChanges.model_validate({name: value for name, value in changes.items() if value is not None})
    except ValidationError as fault:
        raise Failure("; ".join(validation_messages(fault))) from None
    with opened() as on:
        target = find_being(on.store, being, owner)
        changed = todo_editing.change(on.store, target, _find(on, target, todo), accepted)
    say(Text.assemble((f"{said}: ", "bold"), words(changed.content)))


def _find(on: Resources, being: Being, name: str) -> UUID:
    with on.store.transaction() as tx:
        found = ledger.named(tx, being.being_id, name)
    return only(name, found, "todo", "patrol todos list")
