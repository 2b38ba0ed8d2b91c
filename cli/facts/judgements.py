"""`patrol judgements`: what was found in conversations, and what was dropped of models' answers."""

from collections.abc import Iterator
from typing import Any

from cli.console.declared import Group
from cli.console.output import count, table
from operations.talk import judgements as operations
from schemas.llm.drops import Judgements


def _judgements(found: Judgements) -> Iterator[Any]:
    judged = found.judged
    found_in = f"{count(judged.facts, 'fact')} and {count(judged.todos, 'todo')}"
    yield f"{count(judged.messages, 'message')} judged: {found_in}."
    if not found.dropped:
        yield "Nothing was dropped of models' answers."
        return
    rows = ((each.purpose, each.items, each.last_at, each.reason) for each in found.dropped)
    yield table("purpose", ">items dropped", "last", "*reason", rows=rows)


judgements = Group(operations, "What models' answers brought.", views={Judgements: _judgements})["judgements"]
