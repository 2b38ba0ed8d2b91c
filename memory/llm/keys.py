"""Users' keys for model providers: stored for good, or for the life of a request's work; always encrypted."""

from datetime import timedelta
from uuid import UUID

from memory.llm.key_encryption import DecryptionFailed, KeyCipher, key_cipher, needed_cipher
from schemas.errors import NotFound, Refused
from schemas.llm.calls import EncryptedKey, Provider, ProviderKey
from schemas.settings import Settings
from store.database import Store
from store.llm import breakers, key_rotation, keys
from store.transaction import Transaction


def store_request_key(
    store: Store, settings: Settings, user_id: UUID, provider: Provider, key: str, *, token_id: UUID | None = None
) -> UUID:
    """Store a key that came with a request for `request_key_life`; returns its id, which its inputs carry.

    The key is deleted when the request's token is revoked.

    Raises:
        Refused: There is no secret to encrypt it with, the user has too many keys, or the token has been revoked.
    """
    with store.transaction() as tx:
        return _put(tx, settings, user_id, provider, key, life=settings.request_key_life, token_id=token_id).key_id


def add(store: Store, settings: Settings, user_id: UUID, provider: Provider, key: str) -> ProviderKey:
    """Store a user's key; the one stored last pays. An earlier rejection by the provider is cleared.

    Raises:
        Refused: There is no secret to encrypt it with, or the user has too many keys.
    """
    return store.run(_put, settings, user_id, provider, key)


def remove(store: Store, user_id: UUID, key_id: UUID) -> None:
    """Delete a user's key.

    Raises:
        NotFound: The user has no such key.
    """
    with store.transaction() as tx:
        if not keys.remove(tx, user_id, key_id):
            raise NotFound(f"You have no key {key_id}.")


def may_think(store: Store, being_id: UUID, *, platform: bool) -> bool:
    """Whether a model is available to a Being by the stored rows; `platform`: the platform has a key."""
    return store.run(keys.may_think, being_id, platform=platform)


def rotate(store: Store, settings: Settings) -> int:
    """Re-encrypt every key with the newest secret, after which older secrets can be removed; returns how many.

    Raises:
        Refused: There is no secret, or the secret of a key is missing; no key is re-encrypted.
    """
    cipher = _cipher(settings)
    with store.transaction() as tx:
        all_keys = key_rotation.all_keys(tx)
        for encrypted in all_keys:
            try:
                key = decrypt(cipher, encrypted)
            except DecryptionFailed as fault:
                raise Refused(f"Key {encrypted.key_id}: {fault}") from None
            owner = _owner(encrypted.user_id, encrypted.provider)
            key_rotation.reencrypt(tx, encrypted, cipher.encrypt(key, owner), cipher.fingerprints(key, owner)[0])
    return len(all_keys)


def undecryptable(store: Store, settings: Settings) -> list[EncryptedKey]:
    """Return the keys of all users that no secret in PATROL_SECRET_KEY decrypts."""
    cipher = key_cipher(settings)
    found = []
    for key in store.run(key_rotation.all_keys):
        try:
            decrypt(cipher, key)
        except DecryptionFailed:
            found.append(key)
    return found


def decrypt(cipher: KeyCipher | None, key: EncryptedKey) -> str:
    """Decrypt a stored key, to send requests with it.

    Raises:
        DecryptionFailed: No configured secret decrypts it.
    """
    if cipher is None:
        raise DecryptionFailed("A key is stored, but PATROL_SECRET_KEY, with which it was encrypted, is not set.")
    return cipher.decrypt(key.sealed, _owner(key.user_id, key.provider))


def _put(
    tx: Transaction,
    settings: Settings,
    user_id: UUID,
    provider: Provider,
    key: str,
    *,
    life: timedelta | None = None,
    token_id: UUID | None = None,
) -> ProviderKey:
    cipher = _cipher(settings)
    owner = _owner(user_id, provider)
    encrypted, fingerprints = cipher.encrypt(key, owner), cipher.fingerprints(key, owner)
    put = keys.put(tx, user_id, provider, encrypted, fingerprints, key[-4:], life, token_id)
    if life is None:
        breakers.close(tx, provider, put.key_id)
    return put


def _cipher(settings: Settings) -> KeyCipher:
    return needed_cipher(settings, "Keys can't be stored, because the server has no secret to encrypt them with")


def _owner(user_id: UUID, provider: Provider) -> str:
    """The associated data of a key's encryption, so that a ciphertext moved to another row does not decrypt."""
    return f"{user_id}/{provider}"
