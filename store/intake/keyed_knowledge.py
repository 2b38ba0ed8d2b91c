"""Knowledge that programs keep under keys: a note of the type `knowledge` with a namespace, a key and an object."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from store.transaction import Transaction

Place = tuple[tuple[str, ...], str]

# The columns of `KeyedValue`, of notes named n.
_KEPT = """
    n.note_id, n.namespace, n.key, n.content as value, n.received_at as created_at,
    coalesce(n.updated_at, n.received_at) as updated_at
"""


@dataclass(frozen=True, slots=True)
class KeyedValue:
    """The value under a key."""

    note_id: UUID
    namespace: list[str]
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class KeyedWrite:
    """A value to be kept, or with the value None to be removed; `note_id` is the note's id if the key is new."""

    note_id: UUID
    value: dict[str, Any] | None
    search_text: str | None
    content_hash: bytes


def put(tx: Transaction, being_id: UUID, changes: Mapping[Place, KeyedWrite]) -> list[bool]:
    """Keep values under their keys, in place of those that are there; returns for each whether its key is new."""
    rows = [
        {
            "note_id": str(new.note_id),
            "namespace": [*namespace],
            "key": key,
            "content": new.value,
            "search_text": new.search_text,
            "content_hash": f"\\x{new.content_hash.hex()}",
        }
        for (namespace, key), new in changes.items()
        if new.value is not None
    ]
    return tx.column(
        """
        insert into memory.notes (
            being_id, note_id, type, content, content_hash, state, in_snapshot, namespace, key, search_text
        )
        select %s, new.note_id, 'knowledge', new.content, new.content_hash, 'kept', false, new.namespace, new.key,
            new.search_text
        from jsonb_to_recordset(%s) as new (
            note_id uuid, namespace text[], key text, content jsonb, search_text text, content_hash bytea
        )
        on conflict (being_id, namespace, key) where key is not null do update
        set content = excluded.content, search_text = excluded.search_text, content_hash = excluded.content_hash,
            updated_at = memory.now()
        returning updated_at is null as is_new
        """,
        [being_id, Jsonb(rows)],
    )


def remove(tx: Transaction, being_id: UUID, places: Sequence[Place]) -> int:
    """Remove the values under these keys; returns how many there were."""
    return tx.execute(
        """
        delete from memory.notes as n
        using jsonb_to_recordset(%(places)s) as asked (namespace text[], key text),
            lateral memory.note_under(%(being)s, asked.namespace, asked.key) as found (note_id)
        where n.being_id = %(being)s and n.note_id = found.note_id
        """,
        {"being": being_id, "places": _places(places)},
    ).rowcount


def get(tx: Transaction, being_id: UUID, places: Sequence[Place]) -> dict[Place, KeyedValue]:
    """Return the values under these keys, by place."""
    found = tx.rows(
        KeyedValue,
        f"""
        select {_KEPT}
        from jsonb_to_recordset(%(places)s) as asked (namespace text[], key text)
        cross join lateral memory.note_under(%(being)s, asked.namespace, asked.key) as found (note_id)
        join memory.notes as n on n.being_id = %(being)s and n.note_id = found.note_id
        """,  # noqa: S608  # columns of this module
        {"being": being_id, "places": _places(places)},
    )
    return {((*one.namespace,), one.key): one for one in found}


def by_ids(tx: Transaction, being_id: UUID, note_ids: Sequence[UUID]) -> dict[UUID, KeyedValue]:
    """Return the values in these notes, by id."""
    found = tx.rows(
        KeyedValue,
        f"select {_KEPT} from memory.notes as n where n.being_id = %s and n.note_id = any(%s)",  # noqa: S608  # columns of this module
        [being_id, list(note_ids)],
    )
    return {one.note_id: one for one in found}


def namespaces(
    tx: Transaction,
    being_id: UUID,
    conditions: Sequence[tuple[str, Sequence[str]]],
    max_depth: int | None,
    limit: int,
    offset: int,
) -> list[list[str]]:
    """List the namespaces that fit all conditions, by code points; each is `prefix` or `suffix` with a path."""
    return tx.column(
        """
        select distinct n.namespace[:coalesce(%(depth)s::integer, cardinality(n.namespace))] as namespace
        from (
            select distinct namespace from memory.notes where being_id = %(being)s and key is not null
        ) as n
        where not exists (
            select from jsonb_to_recordset(%(conditions)s) as asked (at text, path text[])
            where not memory.fits_path(n.namespace, asked.at, asked.path)
        )
        order by namespace
        limit %(limit)s offset %(offset)s
        """,
        {
            "being": being_id,
            "depth": max_depth,
            "conditions": Jsonb([{"at": at, "path": [*path]} for at, path in conditions]),
            "limit": limit,
            "offset": offset,
        },
    )


def _places(places: Sequence[Place]) -> Jsonb:
    return Jsonb([{"namespace": [*namespace], "key": key} for namespace, key in places])
