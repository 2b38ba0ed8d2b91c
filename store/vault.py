"""The vault's records: append-only versions, read by the newest of each record, and compacted.

A Being uses two scopes: `shared`, which belongs to its user, and the one named by its slug. No statement here reaches
the scope of another Being.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.accounts.accounts import Being
from schemas.errors import Refused
from schemas.limits import VAULT_VERSIONS
from schemas.vault.records import SHARED, VaultRecord
from schemas.vault.vault_requests import VaultConfig
from store.transaction import Transaction

# All versions in the scopes of a Being, each joined with the head of its id.
_VERSIONS = """
    select r.sequence, r.id, r.text, case when r.being_id is null then 'shared' else %(slug)s end as scope, r.category,
        r.tier, r.topic_id, r.tags, r.created_at, r.updated_at, r.source, r.deleted_at, r.version,
        r.forced_over
    from memory.vault_heads as h
    join memory.vault_records as r using (user_id, id)
    where h.user_id = %(user)s and (h.being_id = %(own)s or h.being_id is null and %(shared)s)
"""
_TOLD = """
        and (%(muted)s or not memory.is_muted(coalesce(h.being_id, h.user_id), 'vault', memory.search_id(h.id)))
"""


def lock_scopes(tx: Transaction, being: Being, scopes: Iterable[str]) -> None:
    """Lock scopes against other writers until the transaction ends.

    Raises:
        NotFound: The Being no longer exists.
    """
    owners = [None if scope == SHARED else being.being_id for scope in scopes]
    tx.execute("select memory.lock_vault(%s, %s, %s::uuid[])", [being.user_id, being.being_id, owners])


def live(tx: Transaction, being: Being, scopes: Sequence[str], *, muted: bool = True) -> list[VaultRecord]:
    """The newest version of each record of these scopes that is not deleted, by id; muted ones with `muted`."""
    return tx.rows(
        VaultRecord,
        _VERSIONS
        + _TOLD
        + """
            and h.live and h.version = r.version
        order by r.id
        """,
        {**_scope_parameters(being, scopes), "muted": muted},
    )


def versions(tx: Transaction, being: Being, ids: Sequence[str], *, muted: bool = True) -> list[VaultRecord]:
    """The stored versions of these ids in the Being's scopes, by id and version; of muted records with `muted`."""
    return tx.rows(
        VaultRecord,
        _VERSIONS
        + _TOLD
        + """
            and h.id = any(%(ids)s)
        order by r.id, r.version
        """,
        {**_scope_parameters(being, [SHARED, being.slug]), "ids": list(ids), "muted": muted},
    )


def page(
    tx: Transaction, being: Being, scopes: Sequence[str], *, muted: bool = True, after: int, limit: int
) -> list[tuple[int, VaultRecord]]:
    """At most `limit` versions after the sequence number `after`, in its order, each with its own.

    Versions of muted records are among them with `muted`.
    """
    rows = tx.execute(
        _VERSIONS
        + _TOLD
        + """
            and r.sequence > %(after)s
        order by r.sequence
        limit %(limit)s
        """,
        {**_scope_parameters(being, scopes), "muted": muted, "after": after, "limit": limit},
    )
    return [(row["sequence"], VaultRecord.model_validate(row)) for row in rows]


def counts(tx: Transaction, being: Being, scopes: Sequence[str]) -> tuple[int, int]:
    """The number of stored versions, and the number of records that end in a tombstone."""
    (row,) = tx.execute(
        """
        select count(*) as versions, count(*) filter (where deleted_at is not null) as tombstones
        from memory.vault_records
        where user_id = %(user)s and (being_id = %(own)s or being_id is null and %(shared)s)
        """,
        _scope_parameters(being, scopes),
    )
    return row["versions"], row["tombstones"]


def scopes_of(tx: Transaction, being: Being, ids: Sequence[str]) -> set[str]:
    """Those of the Being's scopes that hold one of these ids."""
    rows = tx.execute(
        """
        select distinct being_id from memory.vault_heads
        where user_id = %s and id = any(%s) and (being_id is null or being_id = %s)
        """,
        [being.user_id, list(ids), being.being_id],
    )
    return {SHARED if row["being_id"] is None else being.slug for row in rows}


def ids_of_other_scopes(tx: Transaction, being: Being, ids: Sequence[str]) -> set[str]:
    """Those of these ids that belong to another Being of the user."""
    return tx.distinct(
        "select id from memory.vault_heads where user_id = %s and id = any(%s) and being_id <> %s",
        [being.user_id, list(ids), being.being_id],
    )


def append(tx: Transaction, being: Being, records: Sequence[VaultRecord]) -> None:
    """Append versions in this order. The caller has locked their scopes.

    Raises:
        Refused: A scope would hold more than 20,000 versions; tombstones are always accepted.
    """
    tx.execute(
        """
        insert into memory.vault_records (
            user_id, being_id, id, version, text, category, tier, topic_id, tags, source,
            created_at, updated_at, deleted_at, forced_over
        )
        select %s, case when scope <> %s then %s::uuid end, id, version, text, category, tier, topic_id, tags, source,
            created_at, updated_at, deleted_at, forced_over
        from rows from (
            jsonb_to_recordset(%s) as (
                id text, version integer, text text, scope text, category text, tier text, topic_id text, tags text[],
                source text, created_at timestamptz, updated_at timestamptz, deleted_at timestamptz,
                forced_over text
            )
        ) with ordinality as new
        order by ordinality
        """,
        [being.user_id, SHARED, being.being_id, Jsonb([record.model_dump(mode="json") for record in records])],
    )
    for scope in {record.scope for record in records if record.deleted_at is None}:
        stored = tx.value(
            "select count(*) from memory.vault_records where user_id = %s and being_id is not distinct from %s",
            [being.user_id, None if scope == SHARED else being.being_id],
        )
        if stored > VAULT_VERSIONS:
            raise Refused(
                f"The scope {scope} may hold {VAULT_VERSIONS} versions, tombstones and superseded versions included:"
                " compact the vault first, and delete records that are not needed."
            )


def compact(tx: Transaction, being: Being, scope: str, *, keep: timedelta, limit: int) -> tuple[int, int]:
    """Remove superseded versions and expired tombstones of at most `limit` ids; returns how many ids and versions."""
    owner = None if scope == SHARED else being.being_id
    (row,) = tx.execute("select * from memory.compact_vault(%s, %s, %s, %s)", [being.user_id, owner, keep, limit])
    return row["ids"], row["records"]


def compact_old(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Remove at most `limit` superseded versions and tombstones of that age from all vaults; returns their number."""
    return tx.value("select memory.compact_old_vault_versions(%s, %s)", [older_than, limit])


def erase(tx: Transaction, being: Being, scope: str, ids: Sequence[str]) -> int:
    """Remove all versions of these ids of a scope, and the idempotency keys of the requests that added them.

    Returns:
        The number of removed versions.
    """
    owner = None if scope == SHARED else being.being_id
    tx.execute(
        """
        delete from memory.vault_idempotency as r
        using memory.beings as b
        where b.user_id = %s and r.being_id = b.being_id and r.record_id = any(%s)
        """,
        [being.user_id, list(ids)],
    )
    return tx.value("select memory.erase_vault_records(%s, %s, %s)", [being.user_id, owner, list(ids)])


def known_items(tx: Transaction, being_id: UUID, producer_ids: Sequence[str]) -> dict[str, tuple[str, bytes]]:
    """The record's id and the content hash stored under each of these idempotency keys."""
    rows = tx.execute(
        """
        select producer_id, record_id, content_hash from memory.vault_idempotency
        where being_id = %s and producer_id = any(%s)
        """,
        [being_id, list(producer_ids)],
    )
    return {row["producer_id"]: (row["record_id"], row["content_hash"]) for row in rows}


def remember_items(tx: Transaction, being_id: UUID, items: Sequence[tuple[str, str, bytes]]) -> None:
    """Store idempotency keys, each with its record's id and the hash of its content."""
    tx.execute(
        """
        insert into memory.vault_idempotency (being_id, producer_id, record_id, content_hash)
        select %s, * from unnest(%s::text[], %s::text[], %s::bytea[])
        on conflict do nothing
        """,
        [being_id, *([row[column] for row in items] for column in range(3))],
    )


def config(tx: Transaction, being: Being) -> VaultConfig:
    """The Being's vault configuration; the default if none is stored."""
    found = tx.row(
        VaultConfig,
        "select enabled, scopes, max_items, similarity_threshold from memory.vault_profiles where being_id = %s",
        [being.being_id],
    )
    return found or VaultConfig()


def set_config(tx: Transaction, being: Being, config: VaultConfig) -> None:
    """Replace the Being's vault configuration."""
    tx.execute(
        """
        insert into memory.vault_profiles (being_id, enabled, scopes, max_items, similarity_threshold)
        values (%s, %s, %s, %s, %s)
        on conflict (being_id) do update
            set enabled = excluded.enabled,
                scopes = excluded.scopes,
                max_items = excluded.max_items,
                similarity_threshold = excluded.similarity_threshold
        """,
        [being.being_id, config.enabled, config.scopes, config.max_items, config.similarity_threshold],
    )


def _scope_parameters(being: Being, scopes: Sequence[str]) -> dict[str, Any]:
    return {
        "user": being.user_id,
        "slug": being.slug,
        "own": being.being_id if being.slug in scopes else None,
        "shared": SHARED in scopes,
    }
