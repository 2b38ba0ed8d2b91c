"""A Being's lists of entries: rules, preferences, relationships, tools, map and skills."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.context import persona
from operations.declaration import Command, Flag, operation
from schemas.accounts.accounts import Being
from schemas.context.persona import (
    NewPersonaEntry,
    PersonaChanges,
    PersonaEntry,
    PersonaKind,
    PersonaPage,
)
from workers.runtime.resources import Resources

Kind = Annotated[PersonaKind, Field(description="Which list.")]


@operation("GET /v1/beings/{being}/persona/{kind}", scope="read", commands=[Command("list")])
def list_persona(on: Resources, being: Being, kind: Kind) -> PersonaPage:
    """List the entries of one of a Being's lists in the order of contexts; disabled ones too."""
    return PersonaPage(entries=persona.listed(on.store, being, kind))


@operation(
    "POST /v1/beings/{being}/persona/{kind}",
    scope="manage",
    commands=[Command("add", done="Added")],
    status=HTTPStatus.CREATED,
    conflicts=True,
)
def add_persona(on: Resources, being: Being, kind: Kind, new: NewPersonaEntry) -> PersonaEntry:
    """Add an entry to one of a Being's lists, which hold up to 100 each."""
    return persona.add(on.store, being, kind, new)


@operation(
    "PATCH /v1/beings/{being}/persona/{kind}/{entry_id}",
    scope="manage",
    commands=[
        Command(
            "change",
            takes=("name", "content", "position"),
            flags={
                "enable": Flag("Show it in contexts.", {"enabled": True}),
                "disable": Flag("Keep it out of contexts.", {"enabled": False}),
            },
            done="Changed",
        )
    ],
    conflicts=True,
)
def change_persona(on: Resources, being: Being, kind: Kind, entry_id: UUID, changes: PersonaChanges) -> PersonaEntry:
    """Change an entry, enable it or disable it."""
    return persona.change(on.store, being, kind, entry_id, changes)


@operation(
    "DELETE /v1/beings/{being}/persona/{kind}/{entry_id}",
    scope="manage",
    forgets=True,
    commands=[Command("remove", done="Removed")],
    status=HTTPStatus.NO_CONTENT,
)
def remove_persona(on: Resources, being: Being, kind: Kind, entry_id: UUID) -> None:
    """Remove an entry."""
    persona.remove(on.store, being, kind, entry_id)
