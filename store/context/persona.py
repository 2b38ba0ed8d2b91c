"""A Being's lists of named entries, and the user model."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from schemas.context.persona import PersonaEntry, PersonaKind, UserModel
from schemas.errors import NotFound, Refused
from schemas.limits import PERSONA_ENTRIES
from store.context import impressions
from store.transaction import Transaction, once

NAMED_TWICE = "The list has an entry of that name: change that entry, or use another name."


def listed(tx: Transaction, being_id: UUID, kind: PersonaKind | None = None) -> list[PersonaEntry]:
    """The entries of one of the Being's lists, or of all lists, in the order in which contexts show them."""
    return tx.rows(
        PersonaEntry,
        """
        select * from memory.persona
        where being_id = %(being)s and (%(kind)s::text is null or kind = %(kind)s)
        order by kind, position, entry_id
        """,
        {"being": being_id, "kind": kind},
    )


def add(tx: Transaction, being_id: UUID, kind: PersonaKind, new: Mapping[str, Any]) -> PersonaEntry:
    """Add an entry to one of the Being's lists; `new` has the fields of `NewPersonaEntry`.

    Raises:
        Refused: The list has an entry of that name, or is full.
    """
    tx.execute("select memory.lock_being(%s)", [being_id])
    count = tx.value("select count(*) from memory.persona where being_id = %s and kind = %s", [being_id, kind])
    if count >= PERSONA_ENTRIES:
        raise Refused(f"The list holds {PERSONA_ENTRIES} entries, which is the most: remove one first.")
    with once(tx, NAMED_TWICE):
        return tx.one(
            PersonaEntry,
            """
            insert into memory.persona (being_id, kind, name, content, enabled, position)
            values (%(being)s, %(kind)s, %(name)s, %(content)s, %(enabled)s, %(position)s)
            returning *
            """,
            {"being": being_id, "kind": kind, **new},
        )


def change(
    tx: Transaction, being_id: UUID, kind: PersonaKind, entry_id: UUID, changes: Mapping[str, Any]
) -> PersonaEntry:
    """Change an entry; `changes` has the fields of `PersonaChanges`; a None in it leaves the column unchanged.

    Raises:
        NotFound: The list has no such entry.
        Refused: Another entry has that name.
    """
    with once(tx, NAMED_TWICE):
        entry = tx.row(
            PersonaEntry,
            """
            update memory.persona
            set name = coalesce(%(name)s, name),
                content = coalesce(%(content)s, content),
                enabled = coalesce(%(enabled)s, enabled),
                position = coalesce(%(position)s, position),
                updated_at = memory.now()
            where being_id = %(being)s and kind = %(kind)s and entry_id = %(entry)s
            returning *
            """,
            {"being": being_id, "kind": kind, "entry": entry_id, **changes},
        )
    if entry is None:
        raise _no_entry(entry_id)
    return entry


def remove(tx: Transaction, being_id: UUID, kind: PersonaKind, entry_id: UUID) -> None:
    """Remove an entry.

    Raises:
        NotFound: The list has no such entry.
    """
    deleted = tx.execute(
        "delete from memory.persona where being_id = %s and kind = %s and entry_id = %s", [being_id, kind, entry_id]
    )
    if not deleted.rowcount:
        raise _no_entry(entry_id)


def user_model(tx: Transaction, user_id: UUID, being_id: UUID | None = None) -> UserModel | None:
    """The user model: as a person wrote it; otherwise from impressions in talk, to all Beings or to one; or None."""
    written = tx.row(
        UserModel, "select *, 'person' as written_by from memory.user_models where user_id = %s", [user_id]
    )
    return written or impressions.user_model(tx, user_id, being_id)


def write_user_model(tx: Transaction, user_id: UUID, content: str) -> UserModel:
    """Replace the user model."""
    return tx.one(
        UserModel,
        """
        insert into memory.user_models (user_id, content)
        values (%s, %s)
        on conflict (user_id) do update set content = excluded.content, updated_at = excluded.updated_at
        returning *, 'person' as written_by
        """,
        [user_id, content],
    )


def remove_user_model(tx: Transaction, user_id: UUID) -> None:
    """Remove the user model, if there is one, and the impressions of the user from talk so far."""
    tx.execute("delete from memory.user_models where user_id = %s", [user_id])
    rows = tx.execute("select being_id from memory.beings where user_id = %s", [user_id])
    impressions.remove(tx, [row["being_id"] for row in rows], ["user-model"])


def _no_entry(entry_id: UUID) -> NotFound:
    return NotFound(f"This list has no entry {entry_id}.")
