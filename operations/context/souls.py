"""A Being's soul and its state."""

from typing import Annotated

from pydantic import Field

from memory.context import persona
from operations.declaration import Command, operation
from schemas.accounts.accounts import Being
from schemas.context.persona import (
    PersonaKind,
    SoulChanges,
    WholeSoul,
)
from workers.runtime.resources import Resources

Kind = Annotated[PersonaKind, Field(description="Which list.")]


@operation("GET /v1/beings/{being}/soul", scope="read", commands=[Command("show")])
def show_soul(on: Resources, being: Being) -> WholeSoul:
    """Show a Being's soul and its state."""
    return persona.whole_soul(on.store, being)


@operation("PATCH /v1/beings/{being}/soul", scope="manage", commands=[Command("set")], body="document")
def change_soul(on: Resources, being: Being, changes: SoulChanges) -> WholeSoul:
    """Change parts of a Being's soul or of its state.

    Omitted parts stay; an empty text removes a part. Each change alters Block 1-A, so that the provider's prompt cache
    misses once.
    """
    return persona.change_soul(on.store, being, changes)
