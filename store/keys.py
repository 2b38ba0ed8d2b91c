"""Users' keys for model providers, sealed by whoever hands them in."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from psycopg.rows import class_row

from schemas.thinking import Provider, ProviderKey, SealedKey
from store.transaction import Transaction, value

# A provider that refused a key is asked with it again after a while: an account may have been put in order meanwhile.
REFUSAL_HOLDS = timedelta(hours=1)


def put(
    tx: Transaction,
    user_id: UUID,
    provider: Provider,
    sealed: bytes,
    fingerprints: Sequence[bytes],
    last_four: str,
    life: timedelta | None,
) -> ProviderKey:
    """Keep a key; the same key of the same user refreshes its row, and what was stored to stay stays.

    Args:
        tx: The transaction.
        user_id: Whose it is.
        provider: Whom it opens.
        sealed: The key, sealed for this user and provider.
        fingerprints: What it is recognised by, made with each secret, the newest first.
        last_four: Its last characters, by which people tell keys apart.
        life: For how long on the real clock; None stores it to stay, and forgets that it was ever refused.
    """
    newest, *older = fingerprints
    tx.execute(
        "update memory.provider_keys set fingerprint = %(newest)s where user_id = %(user)s and provider = %(provider)s"
        " and fingerprint = any(%(older)s) and not exists (select from memory.provider_keys"
        " where user_id = %(user)s and provider = %(provider)s and fingerprint = %(newest)s)",
        {"user": user_id, "provider": provider, "newest": newest, "older": older},
    )
    with tx.cursor(row_factory=class_row(ProviderKey)) as cursor:
        (key,) = cursor.execute(
            "insert into memory.provider_keys as k (user_id, provider, sealed, fingerprint, last_four, expires_at)"
            " values (%s, %s, %s, %s, %s, clock_timestamp() + %s::interval)"
            " on conflict (user_id, provider, fingerprint) do update set sealed = excluded.sealed,"
            " created_at = case when excluded.expires_at is null then clock_timestamp() else k.created_at end,"
            " expires_at = case when k.expires_at is not null then excluded.expires_at end,"
            " refused_at = case when excluded.expires_at is not null then k.refused_at end,"
            " refusal = case when excluded.expires_at is not null then k.refusal end returning *",
            [user_id, provider, sealed, newest, last_four, life],
        )
    return key


def may_think(tx: Transaction, being_id: UUID, *, platform: bool) -> bool:
    """Whether somebody may think for a Being, as far as can be told without opening a key.

    Args:
        tx: The transaction; the key that came with the request which it serves counts.
        being_id: The Being.
        platform: Whether the platform has somebody for users without a key.
    """
    return bool(
        value(
            tx,
            "select memory.payer() is not null or memory.may_think(user_id, %s, %s) from memory.beings"
            " where being_id = %s",
            [platform, REFUSAL_HOLDS, being_id],
        )
    )


def paying(tx: Transaction, user_id: UUID, request_key: UUID | None) -> SealedKey | None:
    """The key of the user's that pays: the request's while it lives, else the one that was stored last.

    It is noted as used, at most once a minute.
    """
    with tx.cursor(row_factory=class_row(SealedKey)) as cursor:
        key = cursor.execute(
            "select * from memory.provider_keys where user_id = %(user)s"
            " and (expires_at is null or key_id = %(request)s and expires_at > clock_timestamp())"
            " order by key_id is not distinct from %(request)s desc, created_at desc limit 1",
            {"user": user_id, "request": request_key},
        ).fetchone()
    if key:
        tx.execute(
            "update memory.provider_keys set last_used_at = clock_timestamp() where user_id = %s and key_id = %s"
            " and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')",
            [user_id, key.key_id],
        )
    return key


def refused(tx: Transaction, key: SealedKey) -> bool:
    """Whether the provider refused the key so lately that there is no use in asking again."""
    row = tx.execute(
        "select from memory.provider_keys where user_id = %s and key_id = %s and refused_at > clock_timestamp() - %s",
        [key.user_id, key.key_id, REFUSAL_HOLDS],
    )
    return row.rowcount == 1


def refuse(tx: Transaction, user_id: UUID, key_id: UUID, refusal: str) -> None:
    """Note that the provider refuses a key, and why."""
    tx.execute(
        "update memory.provider_keys set refused_at = clock_timestamp(), refusal = %s"
        " where user_id = %s and key_id = %s",
        [refusal, user_id, key_id],
    )


def stored(tx: Transaction, user_id: UUID) -> list[ProviderKey]:
    """The keys that a user has stored, oldest first."""
    with tx.cursor(row_factory=class_row(ProviderKey)) as cursor:
        return cursor.execute(
            "select * from memory.provider_keys where user_id = %s and expires_at is null order by created_at",
            [user_id],
        ).fetchall()


def remove(tx: Transaction, user_id: UUID, key_id: UUID) -> bool:
    """Forget a key; False where the user has no such key."""
    done = tx.execute("delete from memory.provider_keys where user_id = %s and key_id = %s", [user_id, key_id])
    return done.rowcount == 1


def after(tx: Transaction, key_id: UUID | None, limit: int) -> list[SealedKey]:
    """All keys of everybody, page by page in the order of their ids, locked for this transaction."""
    with tx.cursor(row_factory=class_row(SealedKey)) as cursor:
        return cursor.execute(
            "select * from memory.provider_keys where %(after)s::uuid is null or key_id > %(after)s"
            " order by key_id limit %(limit)s for update",
            {"after": key_id, "limit": limit},
        ).fetchall()


def reseal(tx: Transaction, key: SealedKey, sealed: bytes, fingerprint: bytes) -> None:
    """Put a key into another seal. Where another row holds the same key under that seal, that one alone is left.

    It stays for as long as either was to stay, and counts as stored when the later one was.
    """
    mine = {"user": key.user_id, "provider": key.provider, "key": key.key_id, "print": fingerprint}
    twin = tx.execute(
        "update memory.provider_keys as twin set created_at = greatest(twin.created_at, gone.created_at),"
        " expires_at = case when gone.expires_at is not null and twin.expires_at is not null"
        " then greatest(twin.expires_at, gone.expires_at) end from memory.provider_keys as gone"
        " where gone.user_id = %(user)s and gone.key_id = %(key)s and twin.user_id = gone.user_id"
        " and twin.provider = %(provider)s and twin.fingerprint = %(print)s and twin.key_id <> gone.key_id",
        mine,
    )
    if twin.rowcount:
        tx.execute("delete from memory.provider_keys where user_id = %(user)s and key_id = %(key)s", mine)
    else:
        tx.execute(
            "update memory.provider_keys set sealed = %(sealed)s, fingerprint = %(print)s"
            " where user_id = %(user)s and key_id = %(key)s",
            {**mine, "sealed": sealed},
        )


def clear_expired(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Let go of requests' keys that expired so long ago; returns how many."""
    return tx.execute(
        "delete from memory.provider_keys where (user_id, key_id) in (select user_id, key_id from memory.provider_keys"
        " where expires_at < clock_timestamp() - %s limit %s for update skip locked)",
        [older_than, limit],
    ).rowcount
