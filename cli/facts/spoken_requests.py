"""`patrol requests`: what was done because the user asked for it in talk."""

from typing import Any

from cli.console.declared import Group, by_ending
from cli.console.output import short, table, words
from operations.facts import spoken_requests as operations
from schemas.facts.fact_answers import SpokenRequestPage
from schemas.facts.fact_rows import SpokenRequest


def _page(page: SpokenRequestPage) -> list[Any]:
    rows = []
    for one in page.requests:
        things = {"fact": one.fact_id, "todo": one.todo_id, "message": one.meant_message_id}
        what = " ".join(f"{kind} {short(id_)}" for kind, id_ in things.items() if id_)
        rows.append((short(one.request_id), one.done_at, one.effect, what, one.undone_at, one.span))
    return [table("request", "done", "effect", "what", "undone", "*words", rows=rows)]


requests = Group(
    operations,
    "What users asked in talk to forget, to correct, or not to remember.",
    finders={"request_id": by_ending("request", "patrol requests list")},
    views={SpokenRequestPage: _page, SpokenRequest: lambda one: words(one.span)},
).commands
