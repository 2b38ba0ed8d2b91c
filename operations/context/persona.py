"""A Being's lists of entries: rules, preferences, relationships, tools, map and skills."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field

from operations.declaration import Command, Flag, operation
from schemas.accounts.accounts import Being
from schemas.context.persona import (
    NewPersonaEntry,
    PersonaChanges,
    PersonaEntry,
    PersonaKind,
    PersonaPage,
)
from store.context import persona
from store.transaction import Transaction

Kind = Annotated[PersonaKind, Field(description="Which list.")]


@operation("GET /v1/beings/{being}/persona/{kind}", scope="read", commands=[Command("list")])
def list_persona(tx: Transaction, being: Being, kind: Kind) -> PersonaPage:
    """List the entries of one of a Being's lists in the order of contexts; disabled ones too."""
    return PersonaPage(entries=persona.listed(tx, being.being_id, kind))


@operation(
    "POST /v1/beings/{being}/persona/{kind}",
    scope="manage",
    commands=[Command("add", done="Added")],
    status=HTTPStatus.CREATED,
    conflicts=True,
)
def add_persona(tx: Transaction, being: Being, kind: Kind, new: NewPersonaEntry) -> PersonaEntry:
    """Add an entry to one of a Being's lists, which hold up to 100 each."""
    return persona.add(tx, being.being_id, kind, new.model_dump())


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
def change_persona(tx: Transaction, being: Being, kind: Kind, entry_id: UUID, changes: PersonaChanges) -> PersonaEntry:
    """Change an entry, enable it or disable it."""
    return persona.change(tx, being.being_id, kind, entry_id, changes.model_dump())


@operation(
    "DELETE /v1/beings/{being}/persona/{kind}/{entry_id}",
    scope="manage",
    removes_answers=True,
    commands=[Command("remove", done="Removed")],
    status=HTTPStatus.NO_CONTENT,
)
def remove_persona(tx: Transaction, being: Being, kind: Kind, entry_id: UUID) -> None:
    """Remove an entry."""
    persona.remove(tx, being.being_id, kind, entry_id)
