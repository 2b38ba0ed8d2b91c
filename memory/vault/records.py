"""Writes to the vault: durable, gated, versioned statements of one Being, or shared by all Beings of its user.

A writer locks the scopes until its versions are committed. So two writers of one register make one record and lose no
write, and of two concurrent near-duplicates one is refused.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import structlog
from pydantic import ValidationError

from memory.erased import known_erased
from memory.erased.known_erased import Recognition
from memory.text.errors import InvalidRequest
from memory.vault.scope_writer import ScopeRules, ScopeWriter
from memory.vault.scopes import chosen, visible
from schemas.accounts.accounts import Being
from schemas.errors import NotFound
from schemas.settings import Settings
from schemas.text.validation_messages import validation_messages
from schemas.vault.records import VaultRecord
from schemas.vault.vault_answers import CompactionOutcome, DeletionOutcome, VaultErased
from schemas.vault.vault_requests import NewRecord, RecordChanges, TopicText
from store import clock, vault
from store.database import Store
from store.transaction import Transaction

log = structlog.get_logger()

IDS_PER_COMPACTION = 500


def add_memory(store: Store, settings: Settings, being: Being, new: NewRecord) -> VaultRecord:
    """Add a record, or write a new version of its topic's register.

    Raises:
        GateRefused: A gate refused it; the text names the gate, the rule and what to do instead.
        ErasedBefore: Its text was permanently erased before.
        NotFound: The Being no longer exists.
    """
    with locked_writer(store, settings, being, scopes_of(being, [new])) as (_, writer):
        record, _ = writer.add(new)
        return record


def update_by_topic(store: Store, settings: Settings, being: Being, topic_id: str, new_text: TopicText) -> VaultRecord:
    """Write a new version of a topic's register, or create it.

    Raises:
        InvalidRequest: The topic's name is invalid.
        GateRefused: A gate refused it; the text names the gate, the rule and what to do instead.
        ErasedBefore: Its text was permanently erased before.
        NotFound: The Being no longer exists.
    """
    given = {name: value for name, value in new_text.model_dump().items() if value is not None}
    try:
        new = NewRecord(tier="register", topic_id=topic_id, **given)
    except ValidationError as error:
        raise InvalidRequest("; ".join(validation_messages(error))) from None
    return add_memory(store, settings, being, new)


def update_memory(
    store: Store, settings: Settings, being: Being, record_id: str, changes: RecordChanges
) -> VaultRecord:
    """Change a record by a new version.

    Raises:
        NotFound: The Being's vault has no such live record.
        GateRefused: One of the gates 1 to 5 refused it.
        ErasedBefore: The new text was permanently erased before.
    """
    with _writer_of(store, settings, being, [record_id]) as writer:
        return writer.update(record_id, changes)


def promote_to_canon(
    store: Store, settings: Settings, being: Being, record_id: str, canonical_text: str | None = None
) -> VaultRecord:
    """Make a register canon, with another text if one is given.

    Raises:
        NotFound: The Being's vault has no such live record.
        Refused: It is canon already.
        GateRefused: One of the gates 1 to 5 refused the text.
        ErasedBefore: The text was permanently erased before.
    """
    with _writer_of(store, settings, being, [record_id]) as writer:
        return writer.promote(record_id, canonical_text)


def delete_memory(store: Store, settings: Settings, being: Being, record_id: str) -> VaultRecord:
    """Delete a record; returns its tombstone.

    Raises:
        NotFound: The Being's vault has no such live record.
    """
    with _writer_of(store, settings, being, [record_id]) as writer:
        return writer.delete(record_id)


def bulk_delete(store: Store, settings: Settings, being: Being, ids: Sequence[str]) -> DeletionOutcome:
    """Delete those of these records that are live, in one transaction."""
    deleted: list[str] = []
    missing: list[str] = []
    with _writer_of(store, settings, being, ids) as writer:
        for record_id in dict.fromkeys(ids):
            try:
                deleted.append(writer.delete(record_id).id)
            except NotFound:
                missing.append(record_id)
    return DeletionOutcome(deleted=deleted, missing=missing)


def erase_memory(store: Store, settings: Settings, being: Being, ids: Sequence[str]) -> VaultErased:
    """Permanently erase records with all their versions and tombstones.

    Keyed digests of their ids and texts stay, so that no door stores them again.

    Raises:
        NotFound: The Being's vault has none of these records; nothing was erased.
        SecretMissing: The key of these digests is missing; nothing was erased.
    """
    records = 0
    with store.transaction() as tx:
        scopes = sorted(vault.scopes_of(tx, being, ids))
        vault.lock_scopes(tx, being, scopes)
        versions = vault.versions(tx, being, ids)
        if not versions:
            raise NotFound(f"This Being's vault has none of the records {', '.join(ids)}.")
        known = known_erased.for_erasure(tx, settings, being.user_id, being.being_id)
        for scope in scopes:
            here = [version for version in versions if version.scope == scope]
            known_erased.remember_records(tx, known, here)
            records += vault.erase(tx, being, scope, list({version.id for version in here}))
    log.warning("erasure.vault", being_id=str(being.being_id), records=records)
    return VaultErased(records=records)


def compact(store: Store, settings: Settings, being: Being, scope: str | None = None) -> CompactionOutcome:
    """Remove superseded versions and old tombstones of one scope, or of all scopes that the Being may use.

    Live records stay the same. Each step is a transaction of its own, so that a compaction can be stopped at any point
    and called again.

    Raises:
        InvalidRequest: The Being may not use that scope.
    """
    removed = 0
    for each in chosen(being, [scope] if scope else None):
        ids = IDS_PER_COMPACTION
        while ids == IDS_PER_COMPACTION:
            with store.transaction() as tx:
                vault.lock_scopes(tx, being, [each])
                ids, records = vault.compact(tx, being, each, keep=settings.vault_tombstones, limit=IDS_PER_COMPACTION)
            removed += records
    return CompactionOutcome(removed=removed)


@contextmanager
def locked_writer(
    store: Store, settings: Settings, being: Being, scopes: Sequence[str]
) -> Iterator[tuple[Transaction, ScopeWriter]]:
    """Lock scopes and load a writer with their live records; its versions are committed when the block ends."""
    with store.transaction() as tx:
        vault.lock_scopes(tx, being, scopes)
        known = known_erased.for_vault(tx, settings, being.user_id, being.being_id)
        rules = ScopeRules(
            visible(being),
            settings.vault_capacity,
            vault.config(tx, being).similarity_threshold,
            plain=settings.vault_plain_overlap,
            erased=partial(_was_erased, tx, known),
        )
        writer = ScopeWriter(vault.live(tx, being, scopes), rules, clock.now(tx))
        yield tx, writer
        vault.append(tx, being, writer.appended)
    for record in writer.appended:
        if record.version == 1 and record.forced_over is not None:
            log.info("vault.forced", being_id=str(being.being_id), id=record.id, forced_over=record.forced_over)


@contextmanager
def _writer_of(store: Store, settings: Settings, being: Being, ids: Sequence[str]) -> Iterator[ScopeWriter]:
    """A locked writer of the scopes of these records. A record never changes its scope."""
    scopes = store.run(vault.scopes_of, being, ids)
    with locked_writer(store, settings, being, [*scopes]) as (_, writer):
        yield writer


def _was_erased(tx: Transaction, known: Recognition | None, text: str) -> bool:
    return known is not None and bool(known.among(tx, {0: known.of_record(None, text)}))


def scopes_of(being: Being, new: Sequence[NewRecord]) -> list[str]:
    """The existing scopes of these records; gate 4 refuses the others."""
    return sorted({each.scope or being.slug for each in new} & {*visible(being)})
