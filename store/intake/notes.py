"""Notes: inserted once, stamped by a patrol run, marked with their outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.intake.notes import Note, NoteOrigin
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class NewNote:
    """A note to insert. With a `producer_id` it is inserted once, however often it is sent."""

    note_id: UUID
    producer_id: str | None
    type: str
    content: Any
    title: str | None
    due_at: datetime | None
    metadata: dict[str, Any]
    content_hash: bytes
    bulk: bool = False
    origin: NoteOrigin = "producer"
    ages_from: datetime | None = None
    in_snapshot: bool = True


def insert(tx: Transaction, being_id: UUID, notes: Sequence[NewNote]) -> set[UUID]:
    """Insert the notes whose producer ids are new; returns the ids of the inserted notes.

    They are inserted in the order of their producer ids, so that batches with the same ids can't deadlock.
    """
    ordered = sorted(notes, key=lambda note: note.producer_id or "")
    return tx.distinct(
        """
        insert into memory.notes (
            being_id, note_id, producer_id, type, content, title, due_at, metadata, content_hash, bulk, origin,
            ages_from, in_snapshot, state, request_key_id
        )
        select %s, note_id, producer_id, type, content, title, due_at, metadata, decode(content_hash, 'hex'), bulk,
            origin, ages_from, in_snapshot, case type when 'scene' then 'pending' else 'kept' end, %s::uuid
        from jsonb_to_recordset(%s) as new (
            note_id uuid, producer_id text, type text, content jsonb, title text, due_at timestamptz, metadata jsonb,
            content_hash text, bulk boolean, origin text, ages_from timestamptz,
            in_snapshot boolean
        )
        on conflict (being_id, producer_id) where producer_id is not null do nothing
        returning note_id
        """,
        [
            being_id,
            tx.request_key_id,
            # One JSON text: psycopg writes arrays item by item in Python.
            Jsonb(
                [
                    {
                        "note_id": str(note.note_id),
                        "producer_id": note.producer_id,
                        "type": note.type,
                        "content": note.content,
                        "title": note.title,
                        "due_at": note.due_at and note.due_at.isoformat(),
                        "metadata": note.metadata,
                        "content_hash": note.content_hash.hex(),
                        "bulk": note.bulk,
                        "origin": note.origin,
                        "ages_from": note.ages_from and note.ages_from.isoformat(),
                        "in_snapshot": note.in_snapshot,
                    }
                    for note in ordered
                ]
            ),
        ],
    )


def known(tx: Transaction, being_id: UUID, producer_ids: Sequence[str]) -> dict[str, dict[bytes, UUID]]:
    """Return by producer id the note that is stored already, its id by its content hash."""
    if not producer_ids:
        return {}
    rows = tx.execute(
        """
        select producer_id, note_id, content_hash
        from memory.notes
        where being_id = %s and producer_id = any(%s)
        """,
        [being_id, list(producer_ids)],
    )
    return {row["producer_id"]: {row["content_hash"]: row["note_id"]} for row in rows}


def pending(tx: Transaction, being_id: UUID, at_most: int, *, until: datetime | None = None) -> int:
    """Count the scene notes that wait for a patrol, up to `at_most`; with `until` those received by then."""
    return tx.value(
        """
        select count(*)
        from (
            select from memory.notes
            where being_id = %s and state = 'pending' and received_at <= coalesce(%s, 'infinity'::timestamptz)
            limit %s
        ) as n
        """,
        [being_id, until, at_most],
    )


def left_over(tx: Transaction, being_id: UUID, run_id: UUID) -> bool:
    """Whether scene notes that were pending when a run began are pending still, because it took as many as it may."""
    return tx.exists(
        """
        select
        from memory.notes as n
        join memory.patrol_runs as r using (being_id)
        where being_id = %s and n.state = 'pending' and r.run_id = %s and n.received_at <= r.started_at
        """,
        [being_id, run_id],
    )


def stamped(tx: Transaction, being_id: UUID, run_id: UUID) -> list[Note]:
    """Return the stamped notes of a run that have no node yet, oldest first."""
    return tx.rows(
        Note,
        """
        select * from memory.notes
        where being_id = %s and run_id = %s and state = 'stamped'
        order by note_id
        """,
        [being_id, run_id],
    )


def unrepaired(tx: Transaction, being_id: UUID, limit: int) -> list[Note]:
    """Return notes that could not be parsed and for which no model repair was tried, oldest first."""
    return tx.rows(
        Note,
        """
        select * from memory.notes
        where being_id = %s and state = 'parse_failed' and not repair_requested
        order by note_id
        limit %s
        """,
        [being_id, limit],
    )


def existing(tx: Transaction, being_id: UUID, note_ids: Sequence[UUID]) -> dict[UUID, bool]:
    """Return which of these notes still exist, each with whether it names a time from which it ages."""
    return tx.pairs(
        """
        select note_id, ages_from is not null as ages
        from memory.notes
        where being_id = %s and note_id = any(%s)
        """,
        [being_id, note_ids],
    )


def mark_remembered(tx: Transaction, being_id: UUID, run_id: UUID, note_ids: Sequence[UUID]) -> None:
    """Mark notes as remembered, with the run that made their nodes."""
    tx.execute(
        """
        update memory.notes
        set state = 'remembered', reason = null, run_id = %s
        where being_id = %s and note_id = any(%s)
        """,
        [run_id, being_id, list(note_ids)],
    )


def mark_failed(tx: Transaction, being_id: UUID, state: str, reasons: dict[UUID, str]) -> None:
    """Mark notes as `parse_failed` or `embed_failed`, each with its reason."""
    tx.execute(
        """
        update memory.notes as n
        set state = %s, reason = failed.reason
        from unnest(%s::uuid[], %s::text[]) as failed (note_id, reason)
        where n.being_id = %s and n.note_id = failed.note_id
        """,
        [state, list(reasons), list(reasons.values()), being_id],
    )


def mark_asked(tx: Transaction, being_id: UUID, note_ids: Sequence[UUID]) -> None:
    """Mark notes for which a model repair was tried, which happens once."""
    tx.execute(
        "update memory.notes set repair_requested = true where being_id = %s and note_id = any(%s)",
        [being_id, list(note_ids)],
    )


# A scene note is muted with the memory that was made from it.
_NOTES: LiteralString = """
    select n.* from memory.notes as n
    where n.being_id = %(being)s and (
        %(muted)s or not memory.is_muted(n.being_id, 'knowledge', n.note_id) and not exists (
            select from memory.memory_nodes as made
            where made.being_id = n.being_id and made.note_id = n.note_id
                and memory.is_muted(made.being_id, 'node', made.node_id)
        )
    )
"""


def get(tx: Transaction, being_id: UUID, note_id: UUID, *, muted: bool = True) -> Note | None:
    """Return a note of the Being, if it has it; a muted one with `muted`."""
    return tx.row(Note, _NOTES + " and n.note_id = %(note)s", {"being": being_id, "note": note_id, "muted": muted})


def page(
    tx: Transaction, being_id: UUID, *, state: str | None, muted: bool = True, after: UUID | None, limit: int
) -> list[Note]:
    """Return a page of the Being's notes, muted ones with `muted`, by id, which is the order of arrival."""
    return tx.rows(
        Note,
        _NOTES
        + """
            and (%(state)s::text is null or n.state = %(state)s) and (%(after)s::uuid is null or n.note_id > %(after)s)
        order by n.note_id
        limit %(limit)s
        """,
        {"being": being_id, "state": state, "muted": muted, "after": after, "limit": limit},
    )


def failed(tx: Transaction, being_id: UUID, limit: int) -> list[Note]:
    """Select the notes of this Being that failed to be parsed or embedded, oldest first."""
    return tx.rows(
        Note,
        """
        select *
        from memory.notes
        where being_id = %s and state in ('parse_failed', 'embed_failed')
        order by note_id
        limit %s
        """,
        [being_id, limit],
    )


def retry(tx: Transaction, being_id: UUID, note_ids: Sequence[UUID] | None) -> set[UUID]:
    """Make failed notes pending again, these or all of the Being; returns which.

    Their repair by a model may be requested once more.
    """
    return tx.distinct(
        """
        update memory.notes
        set state = 'pending', reason = null, run_id = null, repair_requested = false
        where being_id = %(being)s
            and state in ('parse_failed', 'embed_failed')
            and (%(notes)s::uuid[] is null or note_id = any(%(notes)s))
        returning note_id
        """,
        {"being": being_id, "notes": None if note_ids is None else list(note_ids)},
    )
