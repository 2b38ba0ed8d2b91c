"""Removes from an imported Being the items that its user erased after the export was made."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from memory.erased import known_erased
from memory.erased.known_erased import Recognition
from memory.nodes import topic_names
from schemas.accounts.accounts import Being
from schemas.settings import Settings
from schemas.vault.records import SHARED
from store import vault
from store.accounts import erased, erasure
from store.nodes import topic_names as stored_names
from store.talk import retraction, scenes, unrecorded_turns
from store.transaction import Transaction

RECORDS_AT_ONCE = 1000


def erase_again(tx: Transaction, settings: Settings, being: Being, from_being_id: UUID) -> dict[str, int]:
    """Erase imported items that were erased from this Being or the exported one before, with all derived from them.

    Args:
        tx: The transaction of the import; nothing else writes to the Being.
        settings: The secret with which the digests' key is encrypted.
        being: The imported Being.
        from_being_id: The exported Being.

    Returns:
        The number of erased items by kind: `message`, `note`, `vault_record`.

    Raises:
        SecretMissing: The key of the digests can't be decrypted.
    """
    erased.inherit(tx, being.user_id, being.being_id, from_being_id)
    unrecorded_turns.inherit(tx, being.being_id, from_being_id)
    known = known_erased.for_vault(tx, settings, being.user_id, being.being_id)
    if known is None:
        return {}
    counts = {
        "message": _messages(tx, being, known),
        "note": _notes(tx, being, known),
        "vault_record": _records(tx, being, known),
    }
    erasure.remove_unused_names(tx, being.user_id)
    return {kind: count for kind, count in counts.items() if count}


def _messages(tx: Transaction, being: Being, known: Recognition) -> int:
    came = erased.all_messages(tx, being.being_id)
    again = known.among(
        tx,
        {
            place: known.of_message(one.producer_id, one.role, one.content, one.conversation)
            for place, one in enumerate(came)
        },
    )
    if again:
        gone = [came[place].message_id for place in again]
        _erase_notes(tx, being, scenes.detach(tx, being.being_id, gone))
        retraction.erase(tx, being.being_id, gone)
    return len(again)


def _notes(tx: Transaction, being: Being, known: Recognition) -> int:
    came = erased.all_notes(tx, being.being_id)
    again = known.among(tx, {place: known.of_note(one.producer_id, one.content) for place, one in enumerate(came)})
    _erase_notes(tx, being, [came[place].note_id for place in again])
    return len(again)


def _erase_notes(tx: Transaction, being: Being, note_ids: Sequence[UUID]) -> None:
    """Erase notes with their nodes; a node that had absorbed one of these is created anew from its own note."""
    gone: set[UUID] = set()
    survivors: set[UUID] = set()
    for note_id in note_ids:
        if node_id := erasure.node_of(tx, being.being_id, note_id):
            gone |= {*erasure.with_absorbed(tx, being.being_id, node_id)}
            survivors |= {one.node_id for one in erasure.survivors_of(tx, being.being_id, [node_id])}
    _erase_nodes(tx, being.being_id, sorted(gone), sorted(survivors - gone))
    for note_id in note_ids:
        erasure.erase_note(tx, being.being_id, note_id)
    if note_ids:
        erasure.remove_derived(tx, being.being_id, [])


def _erase_nodes(tx: Transaction, being_id: UUID, gone: Sequence[UUID], grown: Sequence[UUID]) -> None:
    renamed = stored_names.made_from(tx, being_id, [*gone, *grown])
    erasure.remove_derived(tx, being_id, [*gone, *grown])
    erasure.restore_absorbed(tx, being_id, grown, gone)
    erasure.erase_nodes(tx, being_id, gone)
    erasure.return_to_notes(tx, being_id, grown)
    topic_names.rename_by_words(tx, being_id, renamed)


def _records(tx: Transaction, being: Being, known: Recognition) -> int:
    """Erase vault records. Digests of another Being's scope do not apply to the shared scope."""
    records = 0
    for scope, knows in ((SHARED, replace(known, being_id=None)), (being.slug, known)):
        vault.lock_scopes(tx, being, [scope])
        again: set[str] = set()
        after = -1
        while page := vault.page(tx, being, [scope], after=after, limit=RECORDS_AT_ONCE):
            found = knows.among(tx, {place: knows.of_record(one.id, one.text) for place, (_, one) in enumerate(page)})
            again |= {page[place][1].id for place in found}
            after = page[-1][0]
        if again:
            records += vault.erase(tx, being, scope, sorted(again))
    return records
