"""A Being's soul and its state."""

from operations.declaration import Command, operation
from schemas.accounts.accounts import Being
from schemas.context.persona import (
    SoulChanges,
    WholeSoul,
)
from store.context import souls
from store.transaction import Transaction


@operation("GET /v1/beings/{being}/soul", scope="read", commands=[Command("show")])
def show_soul(tx: Transaction, being: Being) -> WholeSoul:
    """Show a Being's soul and its state."""
    return WholeSoul(soul=souls.get(tx, being.being_id), state=souls.state(tx, being.being_id))


@operation("PATCH /v1/beings/{being}/soul", scope="manage", commands=[Command("set")], body="document")
def change_soul(tx: Transaction, being: Being, changes: SoulChanges) -> WholeSoul:
    """Change parts of a Being's soul or of its state.

    Omitted parts stay; an empty text removes a part. Each change alters Block 1-A, so that the provider's prompt cache
    misses once.
    """
    if parts := changes.of_soul():
        souls.write(tx, being.being_id, parts)
    if parts := changes.of_state():
        souls.set_state(tx, being.being_id, parts)
    return WholeSoul(soul=souls.get(tx, being.being_id), state=souls.state(tx, being.being_id))
