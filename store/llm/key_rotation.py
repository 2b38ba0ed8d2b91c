"""All users' keys, to be encrypted anew with another secret."""

from schemas.llm.calls import EncryptedKey
from store.transaction import Transaction


def all_keys(tx: Transaction) -> list[EncryptedKey]:
    """Return all users' keys, locked until the transaction ends."""
    return tx.rows(EncryptedKey, "select * from memory.provider_keys order by key_id for update")


def reencrypt(tx: Transaction, key: EncryptedKey, encrypted: bytes, fingerprint: bytes) -> None:
    """Replace a key's ciphertext and fingerprint; a row that already has this fingerprint absorbs it.

    The merged row expires when the later of the two does, and its `created_at` is the later one.
    """
    ids = {"user": key.user_id, "provider": key.provider, "key": key.key_id, "print": fingerprint}
    merged = tx.execute(
        """
        update memory.provider_keys as twin
        set created_at = greatest(twin.created_at, old.created_at),
            expires_at = case
                when old.expires_at is not null and twin.expires_at is not null
                    then greatest(twin.expires_at, old.expires_at)
            end
        from memory.provider_keys as old
        where old.user_id = %(user)s
            and old.key_id = %(key)s
            and twin.user_id = old.user_id
            and twin.provider = %(provider)s
            and twin.fingerprint = %(print)s
            and twin.key_id <> old.key_id
        """,
        ids,
    )
    if merged.rowcount:
        tx.execute(
            """
            delete from memory.provider_keys
            where user_id = %(user)s and key_id = %(key)s
            """,
            ids,
        )
    else:
        tx.execute(
            """
            update memory.provider_keys
            set sealed = %(encrypted)s, fingerprint = %(print)s
            where user_id = %(user)s and key_id = %(key)s
            """,
            {**ids, "encrypted": encrypted},
        )
