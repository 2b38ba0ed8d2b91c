"""`patrol soul`, `patrol persona` and `patrol user-model`."""

from typing import Any

from cli.console.declared import Finder, Group
from cli.console.ledger import single_id
from cli.console.output import listing, short, table, words
from memory.accounts.lookup import entries_named
from operations.context import persona as of_persona
from operations.context import souls as of_souls
from operations.context import user_model as of_user_model
from schemas.context.persona import PersonaEntry, PersonaPage, UserModel, WholeSoul


def _soul(found: WholeSoul) -> list[Any]:
    parts = {**found.soul.model_dump(), **found.state.model_dump()}
    return [table("part", "*text", rows=(part for part in parts.items() if part[1] and isinstance(part[1], str)))]


def _entries(page: PersonaPage) -> list[Any]:
    rows = (
        (short(one.entry_id), one.name, "yes" if one.enabled else "no", one.position, one.content)
        for one in page.entries
    )
    return [listing("The list is empty.", "entry", "name", "enabled", ">position", "*content", rows=rows)]


soul = Group(of_souls, "A Being's soul and its state.", views={WholeSoul: _soul}).commands
persona = Group(
    of_persona,
    "A Being's rules, preferences, relationships, tools, map and skills.",
    finders={
        "entry_id": Finder(
            "ENTRY",
            "The entry: its name, its id, or the end of its id.",
            lambda on, being, typed: single_id(
                typed, entries_named(on.store, being, typed), "entry", "patrol persona list"
            ),
        )
    },
    views={PersonaPage: _entries, PersonaEntry: lambda entry: f"{words(entry.name)} ({short(entry.entry_id)})"},
).commands
user_model = Group(
    of_user_model,
    "The user model: the description of a user as a person.",
    views={UserModel: lambda found: words(found.content)},
).commands
