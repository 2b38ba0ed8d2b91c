"""`patrol todos`, `requests`, `mute`, `unmute` and `muted`: the user's intentions, and requests to the memory."""

from typing import Any

from cli.console.declared import Group, by_ending
from cli.console.output import short, table, words
from operations.facts import spoken_requests as of_requests
from operations.facts import todos as of_todos
from operations.talk import mutes as of_mutes
from schemas.facts.fact_answers import SpokenRequestPage, TodoPage
from schemas.facts.fact_rows import SpokenRequest, Todo
from schemas.talk.mutes import Mute, MutePage


def _todos(page: TodoPage) -> list[Any]:
    rows = (
        (short(one.todo_id), one.kind, one.last_told_at, one.due, "yes" if one.in_confidence else "", one.content)
        for one in page.todos
    )
    return [table("todo", "kind", "last mention", "due", "in confidence", "*content", rows=rows)]


todos = Group(
    of_todos,
    "The user's commitments, habits, threads and frictions, and the Being's promises.",
    finders={"todo_id": by_ending("todo", "patrol todos list")},
    views={TodoPage: _todos, Todo: lambda todo: words(todo.content)},
).commands


def _requests(page: SpokenRequestPage) -> list[Any]:
    rows = []
    for one in page.requests:
        things = {"fact": one.fact_id, "todo": one.todo_id, "message": one.meant_message_id}
        what = " ".join(f"{kind} {short(id_)}" for kind, id_ in things.items() if id_)
        rows.append((short(one.request_id), one.done_at, one.effect, what, one.undone_at, one.span))
    return [table("request", "done", "effect", "what", "undone", "*words", rows=rows)]


requests = Group(
    of_requests,
    "Users' requests in conversations to forget, to correct, or not to remember.",
    finders={"request_id": by_ending("request", "patrol requests list")},
    views={SpokenRequestPage: _requests, SpokenRequest: lambda one: words(one.span)},
).commands


def _mutes(page: MutePage) -> list[Any]:
    rows = ((short(one.mute_id), one.muted_at, one.kind, one.items, _label_of(one)) for one in page.mutes)
    return [table("mute", "since", "kind", "items", "*what", rows=rows)]


def _label_of(one: Mute) -> str:
    return one.label or one.target


_commands = Group(
    of_mutes,
    "Muted items, which no context brings up.",
    finders={"mute_id": by_ending("mute", "patrol muted")},
    views={MutePage: _mutes, Mute: lambda one: words(_label_of(one))},
)

mute = _commands["mute"]
unmute = _commands["unmute"]
muted = _commands["muted"]
