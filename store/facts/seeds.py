"""Seeds: what a producer states about the user, as evidence of statements and todos."""

from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from store.transaction import Transaction


def add_seed(tx: Transaction, user_id: UUID, scope: UUID | None, content: Any) -> UUID | None:
    """Insert a seed; returns its id, or None if this scope has a seed of equal content.

    Args:
        scope: The Being that alone may know it; None: all of the user's Beings.
        content: The seed as the producer sent it, as JSON.
    """
    return tx.value(
        """
        insert into memory.user_seeds (user_id, being_id, content, content_hash)
        select %(user)s, %(scope)s, seed.content, sha256(convert_to(seed.content::text, 'UTF8'))
        from (select %(content)s::jsonb) as seed (content)
        on conflict (user_id, being_id, content_hash) do nothing
        returning seed_id
        """,
        {"user": user_id, "scope": scope, "content": Jsonb(content)},
    )


def link_todo(tx: Transaction, user_id: UUID, seed_id: UUID, todo_id: UUID) -> None:
    """Link a seed to the todo that it became; the seed is deleted with the todo."""
    tx.execute(
        "update memory.user_seeds set todo_id = %s where user_id = %s and seed_id = %s", [todo_id, user_id, seed_id]
    )
