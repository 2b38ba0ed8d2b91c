"""A Being's soul and its state."""

from memory.context import persona
from operations.declaration import Command, operation
from schemas.accounts.accounts import Being
from schemas.context.persona import (
    SoulChanges,
    WholeSoul,
)
from store.transaction import Transaction


@operation("GET /v1/beings/{being}/soul", scope="read", commands=[Command("show")])
def show_soul(tx: Transaction, being: Being) -> WholeSoul:
    """Show a Being's soul and its state."""
    return persona.whole_soul(tx, being)


@operation("PATCH /v1/beings/{being}/soul", scope="manage", commands=[Command("set")], body="document")
def change_soul(tx: Transaction, being: Being, changes: SoulChanges) -> WholeSoul:
    """Change parts of a Being's soul or of its state.

    Omitted parts stay; an empty text removes a part. Each change alters Block 1-A, so that the provider's prompt cache
    misses once.
    """
    return persona.change_soul(tx, being, changes)
