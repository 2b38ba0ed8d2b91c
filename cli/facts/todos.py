"""`patrol todos`: the user's commitments, habits, open threads and frictions, as told to a Being."""

from typing import Any

from cli.console.declared import Group, by_ending
from cli.console.output import day, short, table, words
from operations.facts import todos as operations
from schemas.facts.fact_answers import TodoPage
from schemas.facts.fact_rows import Todo


def _page(page: TodoPage) -> list[Any]:
    shown = table("todo", "kind", "last mention", "due", "in confidence", "*content")
    for todo in page.todos:
        secret = "yes" if todo.in_confidence else ""
        row = (short(todo.todo_id), todo.kind, day(todo.last_told_at), words(todo.due), secret, words(todo.content))
        shown.add_row(*row)
    return [shown]


todos = Group(
    operations,
    "The user's commitments, habits, threads and frictions, and the Being's promises.",
    finders={"todo_id": by_ending("todo", "patrol todos list")},
    views={TodoPage: _page, Todo: lambda todo: words(todo.content)},
).commands
