"""The vault's records: added to, read by their newest versions, compacted.

A Being's vault has two scopes: `shared`, its user's own, and the one that bears its slug. No statement here reaches
another Being's.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schemas.rows import Being
from schemas.vault import SHARED, Profile, VaultRecord
from store.transaction import Transaction

# What a Being sees: each version with what is newest of its id.
_SEEN = (
    "select r.line, r.id, r.text, case when r.being_id is null then 'shared' else %(slug)s end as scope, r.category,"
    " r.tier, r.topic_id, r.tags, r.created_at, r.updated_at, r.source, r.deleted_at, r.version"
    " from memory.vault_heads as h join memory.vault_records as r using (user_id, id)"
    " where h.user_id = %(user)s and (h.being_id = %(own)s or h.being_id is null and %(shared)s)"
)


def hold(tx: Transaction, being: Being, scopes: Iterable[str]) -> None:
    """Let nobody else write to these scopes while the transaction lasts.

    Raises:
        NotFound: The Being is gone.
    """
    owners = [None if scope == SHARED else being.being_id for scope in scopes]
    tx.execute("select memory.lock_vault(%s, %s, %s::uuid[])", [being.user_id, being.being_id, owners])


def live(tx: Transaction, being: Being, scopes: Sequence[str]) -> list[VaultRecord]:
    """The newest version of each record of these scopes, without those that are deleted, by id."""
    with tx.cursor(row_factory=class_row(VaultRecord)) as cursor:
        return cursor.execute(
            _SEEN + " and h.live and h.version = r.version order by r.id", _named(being, scopes)
        ).fetchall()


def kept(tx: Transaction, being: Being, ids: Sequence[str]) -> list[VaultRecord]:
    """Every version that is kept of these ids in the scopes that the Being sees, by id and version."""
    with tx.cursor(row_factory=class_row(VaultRecord)) as cursor:
        return cursor.execute(
            _SEEN + " and h.id = any(%(ids)s) order by r.id, r.version",
            {**_named(being, [SHARED, being.slug]), "ids": list(ids)},
        ).fetchall()


def page(
    tx: Transaction, being: Being, scopes: Sequence[str], *, after: int, limit: int
) -> list[tuple[int, VaultRecord]]:
    """Every version in the order in which they came in, from `after` on, each with its place in that order."""
    rows = tx.execute(
        _SEEN + " and r.line > %(after)s order by r.line limit %(limit)s",
        {**_named(being, scopes), "after": after, "limit": limit},
    )
    return [(row["line"], VaultRecord.model_validate(row)) for row in rows]


def counts(tx: Transaction, being: Being, scopes: Sequence[str]) -> tuple[int, int]:
    """How many versions are kept, and how many records end in a tombstone."""
    (row,) = tx.execute(
        "select count(*) as versions, count(*) filter (where deleted_at is not null) as tombstones"
        " from memory.vault_records where user_id = %(user)s"
        " and (being_id = %(own)s or being_id is null and %(shared)s)",
        _named(being, scopes),
    )
    return row["versions"], row["tombstones"]


def homes(tx: Transaction, being: Being, ids: Sequence[str]) -> set[str]:
    """In which scopes those of these ids are that the Being sees."""
    rows = tx.execute(
        "select distinct being_id from memory.vault_heads where user_id = %s and id = any(%s)"
        " and (being_id is null or being_id = %s)",
        [being.user_id, list(ids), being.being_id],
    )
    return {SHARED if row["being_id"] is None else being.slug for row in rows}


def elsewhere(tx: Transaction, being: Being, ids: Sequence[str]) -> set[str]:
    """Which of these ids belong to a scope of the user's that this Being does not see."""
    rows = tx.execute(
        "select id from memory.vault_heads where user_id = %s and id = any(%s) and being_id <> %s",
        [being.user_id, list(ids), being.being_id],
    )
    return {row["id"] for row in rows}


def append(tx: Transaction, being: Being, records: Sequence[VaultRecord]) -> None:
    """Add versions, in this order. Whoever adds holds their scopes."""
    tx.execute(
        "insert into memory.vault_records (user_id, being_id, id, version, text, category, tier, topic_id, tags,"
        " source, created_at, updated_at, deleted_at) select %s, case when scope <> %s then %s::uuid end, id, version,"
        " text, category, tier, topic_id, tags, source, created_at, updated_at, deleted_at"
        " from rows from (jsonb_to_recordset(%s) as (id text, version integer, text text, scope text, category text,"
        " tier text, topic_id text, tags text[], source text, created_at timestamptz, updated_at timestamptz,"
        " deleted_at timestamptz)) with ordinality as new order by ordinality",
        [being.user_id, SHARED, being.being_id, Jsonb([record.model_dump(mode="json") for record in records])],
    )


def compact(tx: Transaction, being: Being, scope: str, *, keep: timedelta, limit: int) -> tuple[int, int]:
    """Remove what is superseded, or long deleted, of at most so many ids; returns how many ids and records."""
    owner = None if scope == SHARED else being.being_id
    (row,) = tx.execute("select * from memory.compact_vault(%s, %s, %s, %s)", [being.user_id, owner, keep, limit])
    return row["ids"], row["records"]


def receipts(tx: Transaction, being_id: UUID, producer_ids: Sequence[str]) -> dict[str, tuple[str, bytes]]:
    """The record's id and the content hash kept under each of these producer ids."""
    rows = tx.execute(
        "select producer_id, id, content_hash from memory.vault_receipts where being_id = %s and producer_id = any(%s)",
        [being_id, list(producer_ids)],
    )
    return {row["producer_id"]: (row["id"], row["content_hash"]) for row in rows}


def keep_receipts(tx: Transaction, being_id: UUID, given: Sequence[tuple[str, str, bytes]]) -> None:
    """Keep which producer id became which record, with the hash of what was said."""
    tx.execute(
        "insert into memory.vault_receipts (being_id, producer_id, id, content_hash)"
        " select %s, * from unnest(%s::text[], %s::text[], %s::bytea[]) on conflict do nothing",
        [being_id, *([row[column] for row in given] for column in range(3))],
    )


def clear_receipts(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Let go of receipts of that age; returns how many."""
    return tx.execute(
        "delete from memory.vault_receipts where (being_id, producer_id) in (select being_id, producer_id"
        " from memory.vault_receipts where created_at < clock_timestamp() - %s limit %s for update skip locked)",
        [older_than, limit],
    ).rowcount


def profile(tx: Transaction, being: Being) -> Profile:
    """How the Being uses its vault."""
    with tx.cursor(row_factory=class_row(Profile)) as cursor:
        found = cursor.execute(
            "select enabled, scopes, max_items, similarity_threshold from memory.vault_profiles where being_id = %s",
            [being.being_id],
        ).fetchone()
    return found or Profile()


def set_profile(tx: Transaction, being: Being, profile: Profile) -> None:
    """Let the Being use its vault so from now on."""
    tx.execute(
        "insert into memory.vault_profiles (being_id, enabled, scopes, max_items, similarity_threshold)"
        " values (%s, %s, %s, %s, %s) on conflict (being_id) do update set enabled = excluded.enabled,"
        " scopes = excluded.scopes, max_items = excluded.max_items,"
        " similarity_threshold = excluded.similarity_threshold",
        [being.being_id, profile.enabled, profile.scopes, profile.max_items, profile.similarity_threshold],
    )


def _named(being: Being, scopes: Sequence[str]) -> dict[str, Any]:
    return {
        "user": being.user_id,
        "slug": being.slug,
        "own": being.being_id if being.slug in scopes else None,
        "shared": SHARED in scopes,
    }
