"""`patrol todos`: the user's commitments, habits, open threads and frictions, as told to a Being."""

from typing import Any

from cli.console.declared import Group, by_ending
from cli.console.output import short, table, words
from operations.facts import todos as operations
from schemas.facts.fact_answers import TodoPage
from schemas.facts.fact_rows import Todo


def _page(page: TodoPage) -> list[Any]:
    rows = (
        (short(one.todo_id), one.kind, one.last_told_at, one.due, "yes" if one.in_confidence else "", one.content)
        for one in page.todos
    )
    return [table("todo", "kind", "last mention", "due", "in confidence", "*content", rows=rows)]


todos = Group(
    operations,
    "The user's commitments, habits, threads and frictions, and the Being's promises.",
    finders={"todo_id": by_ending("todo", "patrol todos list")},
    views={TodoPage: _page, Todo: lambda todo: words(todo.content)},
).commands
