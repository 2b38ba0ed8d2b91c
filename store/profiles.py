"""Profiles of mental processes, where they were set."""

from uuid import UUID

from psycopg.rows import class_row

from schemas.context import NewProfile, Profile
from schemas.limits import PROFILES
from store.errors import Refused
from store.transaction import Transaction, value


def listed(tx: Transaction, being_id: UUID) -> list[Profile]:
    """The profiles that were set for this Being, by name."""
    with tx.cursor(row_factory=class_row(Profile)) as cursor:
        return cursor.execute(
            "select * from memory.profiles where being_id = %s order by process", [being_id]
        ).fetchall()


def find(tx: Transaction, being_id: UUID, process: str) -> Profile | None:
    """The profile that was set for a process of this Being."""
    with tx.cursor(row_factory=class_row(Profile)) as cursor:
        return cursor.execute(
            "select * from memory.profiles where being_id = %s and process = %s", [being_id, process]
        ).fetchone()


def write(tx: Transaction, being_id: UUID, process: str, new: NewProfile) -> Profile:
    """Set the profile of a process.

    Raises:
        Refused: As many processes have one as may.
    """
    tx.execute("select memory.lock_being(%s)", [being_id])
    others = value(
        tx, "select count(*) from memory.profiles where being_id = %s and process <> %s", [being_id, process]
    )
    if others >= PROFILES:
        raise Refused(f"This Being has {PROFILES} profiles, which is the most: reset one first.")
    with tx.cursor(row_factory=class_row(Profile)) as cursor:
        (kept,) = cursor.execute(
            "insert into memory.profiles (being_id, process, regions, others, instructions)"
            " values (%s, %s, %s, %s, %s) on conflict (being_id, process) do update set regions = excluded.regions,"
            " others = excluded.others, instructions = excluded.instructions, updated_at = excluded.updated_at"
            " returning *",
            [being_id, process, new.regions, new.others, new.instructions],
        )
    return kept


def reset(tx: Transaction, being_id: UUID, process: str) -> bool:
    """Let go of the profile that was set for a process; False where there was none."""
    gone = tx.execute("delete from memory.profiles where being_id = %s and process = %s", [being_id, process])
    return bool(gone.rowcount)
