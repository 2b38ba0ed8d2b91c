"""`patrol soul`, `patrol persona` and `patrol user-model`."""

from typing import Any
from uuid import UUID

from cli.console.declared import Finder, Group
from cli.console.failures import Failure
from cli.console.output import short, table, words
from memory.accounts.lookup import entries_named
from operations.context import persona as of_persona
from operations.context import souls as of_souls
from operations.context import user_model as of_user_model
from schemas.accounts.accounts import Being
from schemas.context.persona import PersonaEntry, PersonaPage, UserModel, WholeSoul
from workers.runtime.resources import Resources


def _soul(found: WholeSoul) -> list[Any]:
    parts = {**found.soul.model_dump(), **found.state.model_dump()}
    return [table("part", "*text", rows=(part for part in parts.items() if part[1] and isinstance(part[1], str)))]


def _entries(page: PersonaPage) -> list[Any]:
    rows = [
        (short(one.entry_id), one.name, "yes" if one.enabled else "no", one.position, one.content)
        for one in page.entries
    ]
    return [table("entry", "name", "enabled", ">position", "*content", rows=rows) if rows else "The list is empty."]


def _find(on: Resources, being: Being, name: str) -> UUID:
    """Return the id of the entry with this name, or with an id that ends so.

    Raises:
        Failure: No entry or several entries match.
    """
    matching = entries_named(on.store, being, name)
    if len(matching) == 1:
        return matching[0].entry_id
    raise Failure(f"{'Several entries match' if matching else 'No entry matches'} {words(name)}: name one by its id.")


soul = Group(of_souls, "A Being's soul and its state.", views={WholeSoul: _soul}).commands
persona = Group(
    of_persona,
    "A Being's rules, preferences, relationships, tools, map and skills.",
    finders={"entry_id": Finder("ENTRY", "The entry: its name, its id, or the end of its id.", _find)},
    views={PersonaPage: _entries, PersonaEntry: lambda entry: f"{words(entry.name)} ({short(entry.entry_id)})"},
).commands
user_model = Group(
    of_user_model,
    "The user model: the description of a user as a person.",
    views={UserModel: lambda found: words(found.content)},
).commands
