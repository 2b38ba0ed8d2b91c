"""The process profiles that a Being has of its own."""

from uuid import UUID

from schemas.context.context import NewProfile, Profile
from schemas.errors import Refused
from schemas.limits import PROFILES
from store.transaction import Transaction


def listed(tx: Transaction, being_id: UUID) -> list[Profile]:
    """The Being's own profiles, by process."""
    return tx.rows(Profile, "select * from memory.profiles where being_id = %s order by process", [being_id])


def find(tx: Transaction, being_id: UUID, process: str) -> Profile | None:
    """The Being's own profile of a process; None if it has none."""
    return tx.row(Profile, "select * from memory.profiles where being_id = %s and process = %s", [being_id, process])


def write(tx: Transaction, being_id: UUID, process: str, new: NewProfile) -> Profile:
    """Set the Being's own profile of a process.

    Raises:
        Refused: The Being has the most profiles that are allowed.
    """
    tx.execute("select memory.lock_being(%s)", [being_id])
    others = tx.value("select count(*) from memory.profiles where being_id = %s and process <> %s", [being_id, process])
    if others >= PROFILES:
        raise Refused(f"This Being has {PROFILES} profiles, which is the most: reset one first.")
    return tx.one(
        Profile,
        """
        insert into memory.profiles (being_id, process, regions, others, instructions, keep)
        values (%s, %s, %s, %s, %s, %s)
        on conflict (being_id, process) do update
            set regions = excluded.regions,
                others = excluded.others,
                instructions = excluded.instructions,
                keep = excluded.keep,
                updated_at = excluded.updated_at
        returning *
        """,
        [being_id, process, new.regions, new.others, new.instructions, new.keep],
    )


def remove(tx: Transaction, being_id: UUID, process: str) -> bool:
    """Remove the Being's own profile of a process; returns false if it has none."""
    return tx.changes("delete from memory.profiles where being_id = %s and process = %s", [being_id, process])
