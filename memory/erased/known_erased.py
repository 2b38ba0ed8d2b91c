"""Finds erased items in batches by their digests, and manages the key of each user's digests.

A user's key is random and created with the first erasure. If the platform has a secret, the key is encrypted with it,
so that a reader of the database can't test guessed texts against the digests. Rotating the secret re-encrypts the key;
the digests stay.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from memory.erased.digests import Digests
from memory.llm.key_encryption import KEY_BYTES, DecryptionFailed, KeyCipher, key_cipher
from schemas.accounts.erasure_keys import ErasureKey
from schemas.errors import Refused, Unavailable
from schemas.ledger.kinds import CLEAN_STREAMS
from schemas.settings import Settings
from schemas.vault.records import SHARED, VaultRecord
from store.accounts import erased
from store.accounts.erased import ErasedMessage, ErasedNote
from store.database import Store
from store.ledger import work
from store.talk import unrecorded_turns
from store.transaction import Transaction

# A reader that is processing an entry may write it to `patrol:rejected` after the first cleaning.
CLEANINGS = {"now": timedelta(0), "later": timedelta(minutes=1)}


class SecretMissing(Unavailable):
    """No secret in PATROL_SECRET_KEY decrypts the key of a user's digests."""


@dataclass(frozen=True)
class Recognition:
    """Recognises items erased from one Being, and from the shared scope of its user's vault.

    Args:
        user_id: The owner of the digests.
        being_id: The Being; None for the shared scope alone.
        digests: Computes digests with the user's key.
    """

    user_id: UUID
    being_id: UUID | None
    digests: Digests

    def among(self, tx: Transaction, items: Mapping[int, Sequence[bytes]]) -> set[int]:
        """Return the positions of items of which any digest is stored as erased."""
        every = {digest for digests in items.values() for digest in digests}
        known = erased.known(tx, self.user_id, self.being_id, every) if every else set()
        return {position for position, digests in items.items() if not known.isdisjoint(digests)}

    def of_note(self, producer_id: str | None, content: Any) -> list[bytes]:
        """Return the digests of a note: of its id, if it has one, and of its content."""
        return [*self._id("note", producer_id), self.digests.of_note(content)]

    def of_message(self, producer_id: str | None, role: str, content: str, conversation: str | None) -> list[bytes]:
        """Return the digests of a message: of its id, if it has one, and of its role and text.

        Words that were erased outside of conversations are recognised in each.
        """
        words = [self.digests.of_message(role, content, conversation=where) for where in {None, conversation}]
        return [*self._id("message", producer_id), *words]

    def of_message_id(self, id_: str) -> list[bytes]:
        """Return the digest of the id of a message, its producer's or its own."""
        return self._id("message", id_)

    def of_record(self, record_id: str | None, text: str) -> list[bytes]:
        """Return the digests of a vault record's version; a tombstone has no text, and so only that of its id."""
        known_by = [] if record_id is None else [self.digests.of_id("record", record_id)]
        return [*known_by, *([self.digests.of_record(text)] if text else [])]

    def _id(self, kind: Any, producer_id: str | None) -> list[bytes]:
        return [] if producer_id is None else [self.digests.of_id(kind, producer_id)]


def for_intake(tx: Transaction, settings: Settings, being_id: UUID) -> Recognition | None:
    """Return the recognition for intake to a Being; None if nothing of it was erased.

    It must be the first statement of the transaction that takes a lock: it blocks erasures of the Being's items until
    the transaction ends.

    Raises:
        SecretMissing: No secret decrypts the key.
    """
    return with_key(settings, being_id, erased.key_for_intake(tx, being_id))


def with_key(settings: Settings, being_id: UUID, key: ErasureKey | None) -> Recognition | None:
    """Return the recognition of items of a Being, by the key of its user's digests; None without one.

    Raises:
        SecretMissing: No secret decrypts the key.
    """
    return None if key is None else _recognition(settings, key, being_id)


def for_vault(tx: Transaction, settings: Settings, user_id: UUID, being_id: UUID) -> Recognition | None:
    """Return the recognition for vault records; None if the user has erased nothing. The caller has locked the scopes.

    Raises:
        SecretMissing: No secret decrypts the key.
    """
    return with_key(settings, being_id, erased.key_of(tx, user_id))


def for_erasure(tx: Transaction, settings: Settings, user_id: UUID, being_id: UUID) -> Recognition:
    """Return the recognition for an erasure; the user's first erasure creates the key.

    Raises:
        SecretMissing: No secret decrypts the key.
    """
    key = erased.key_of(tx, user_id) or erased.add_key(tx, _new_key(settings, user_id))
    return _recognition(settings, key, being_id)


def remember_notes(tx: Transaction, recognition: Recognition, notes: Sequence[ErasedNote]) -> None:
    """Store the digests of notes: of their ids, and of content that no remaining note has."""
    digests = recognition.digests
    kept = [digests.of_id("note", note.producer_id) for note in notes if note.producer_id is not None]
    kept += [digests.of_note(note.content) for note in notes if not note.stands_elsewhere]
    erased.add(tx, recognition.user_id, recognition.being_id, kept)


def remember_messages(tx: Transaction, recognition: Recognition, messages: Sequence[ErasedMessage]) -> None:
    """Store the digests of messages: of their ids, and of texts that no remaining message of the conversation has."""
    digests = recognition.digests
    kept = [digests.of_id("message", one.producer_id) for one in messages if one.producer_id is not None]
    kept += [digests.of_id("message", str(one.message_id)) for one in messages]
    kept += [
        digests.of_message(one.role, one.content, conversation=one.conversation)
        for one in messages
        if not one.stands_elsewhere
    ]
    erased.add(tx, recognition.user_id, recognition.being_id, kept)


def remember_records(tx: Transaction, recognition: Recognition, versions: Sequence[VaultRecord]) -> None:
    """Store the digests of vault records of one scope: of their ids, and of each version's text."""
    kept = {digest for version in versions for digest in recognition.of_record(version.id, version.text)}
    scopes = {version.scope for version in versions}
    erased.add(tx, recognition.user_id, None if scopes == {SHARED} else recognition.being_id, kept)


def rotate(store: Store, settings: Settings) -> int:
    """Encrypt every user's key with the newest secret; returns their number.

    Raises:
        Refused: There is no secret, or the secret of a key is missing.
    """
    seals = key_cipher(settings)
    with store.transaction() as tx:
        keys = erased.all_keys(tx)
        if keys and seals is None:
            raise Refused("PATROL_SECRET_KEY is not set: there is no secret to encrypt with.")
        for key in keys:
            try:
                opened = _opened(seals, key)
            except DecryptionFailed as fault:
                raise Refused(f"The key for erased items of user {key.user_id}: {fault}") from None
            erased.reencrypt(tx, _sealed(seals, key.user_id, opened))
    return len(keys)


def undecryptable(store: Store, settings: Settings) -> list[UUID]:
    """Return the users with a key that no secret in PATROL_SECRET_KEY decrypts: intake must refuse their items."""
    cipher = key_cipher(settings)
    found = []
    keys = store.run(erased.all_keys)
    for key in keys:
        try:
            _opened(cipher, key)
        except DecryptionFailed:
            found.append(key.user_id)
    return found


def remove(store: Store, user_ids: Iterable[UUID]) -> None:
    """Remove the keys and digests of users: erased items and turns off the record are no longer recognised."""
    with store.transaction() as tx:
        for user_id in user_ids:
            erased.remove(tx, user_id)
            unrecorded_turns.remove(tx, user_id)


def _recognition(settings: Settings, key: ErasureKey, being_id: UUID) -> Recognition:
    try:
        opened = _opened(key_cipher(settings), key)
    except DecryptionFailed as fault:
        # Intake without the key would bring erased items back.
        raise SecretMissing(f"Erased items can't be recognised. {fault}") from None
    return Recognition(key.user_id, being_id, Digests(opened))


def _new_key(settings: Settings, user_id: UUID) -> ErasureKey:
    return _sealed(key_cipher(settings), user_id, secrets.token_bytes(KEY_BYTES))


def _sealed(seals: KeyCipher | None, user_id: UUID, key: bytes) -> ErasureKey:
    if seals is None:
        return ErasureKey(user_id, key, sealed=False)
    return ErasureKey(user_id, seals.encrypt(key.hex(), _owner(user_id)), sealed=True)


def _opened(seals: KeyCipher | None, key: ErasureKey) -> bytes:
    if not key.sealed:
        return key.key
    if seals is None:
        raise DecryptionFailed(
            "Set PATROL_SECRET_KEY to the secret that was set before, or if that is lost for good, have the operator"
            " run `patrol key reset`."
        )
    return bytes.fromhex(seals.decrypt(key.key, _owner(key.user_id)))


def _owner(user_id: UUID) -> str:
    return f"{user_id}/erased"


def request_cleaning(tx: Transaction, being_id: UUID) -> None:
    """Enqueue two cleanings of the Redis streams from a Being's erased items; the Being may be erased by then."""
    for key, wait in CLEANINGS.items():
        work.ask(tx, being_id, CLEAN_STREAMS, key, after=wait)
