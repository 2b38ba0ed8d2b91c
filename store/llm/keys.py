"""Users' encrypted keys for model providers."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, LiteralString
from uuid import UUID

from schemas.errors import Refused
from schemas.limits import REQUEST_KEYS, STORED_KEYS
from schemas.llm.calls import EncryptedKey, Provider, ProviderKey
from store import limits
from store.transaction import Transaction

# A rejected key is tried again after this time: the account behind it may be in order again.
REFUSAL_HOLDS = timedelta(hours=1)


def put(
    tx: Transaction,
    user_id: UUID,
    provider: Provider,
    encrypted: bytes,
    fingerprints: Sequence[bytes],
    last_four: str,
    life: timedelta | None,
    token_id: UUID | None = None,
) -> ProviderKey:
    """Upsert a key by its fingerprint; a permanent key stays permanent when a request brings the same one.

    Args:
        user_id: The key's owner.
        provider: The provider that issued it.
        encrypted: The key, encrypted for this user and provider.
        fingerprints: The key's fingerprint with each secret, the newest first.
        last_four: The key's last characters, by which people distinguish keys.
        life: The time until it expires, on the real clock; None stores it for good, and clears an earlier rejection.
        token_id: The token of the request that brought it, with which it ends; None for a stored key.

    Raises:
        Refused: The user would have too many keys, or the token has been revoked meanwhile.
    """
    if token_id is not None:
        _lock_token(tx, user_id, token_id)
    newest, *older = fingerprints
    tx.execute(
        """
        update memory.provider_keys
        set fingerprint = %(newest)s
        where user_id = %(user)s
            and provider = %(provider)s
            and fingerprint = any(%(older)s)
            and not exists (
                select
                from memory.provider_keys
                where user_id = %(user)s and provider = %(provider)s and fingerprint = %(newest)s
            )
        """,
        {"user": user_id, "provider": provider, "newest": newest, "older": older},
    )
    key = tx.one(
        ProviderKey,
        """
        insert into memory.provider_keys as k (
            user_id, provider, sealed, fingerprint, last_four, expires_at, token_id
        )
        values (
            %(user)s, %(provider)s, %(sealed)s, %(fingerprint)s, %(last_four)s,
            clock_timestamp() + %(life)s::interval, %(token)s
        )
        on conflict (user_id, provider, fingerprint) do update
        set sealed = excluded.sealed,
            created_at = case when excluded.expires_at is null then clock_timestamp() else k.created_at end,
            expires_at = case when k.expires_at is not null then excluded.expires_at end,
            refused_at = case when excluded.expires_at is not null then k.refused_at end,
            refusal = case when excluded.expires_at is not null then k.refusal end,
            token_id = case when k.expires_at is not null then excluded.token_id end
        returning *
        """,
        {
            "user": user_id,
            "provider": provider,
            "sealed": encrypted,
            "fingerprint": newest,
            "last_four": last_four,
            "life": life,
            "token": token_id,
        },
    )
    if key.expires_at is None:
        limits.check(tx, "key", user_id, STORED_KEYS)
    else:
        limits.check(tx, "request_key", user_id, REQUEST_KEYS)
    return key


def may_think(tx: Transaction, being_id: UUID, *, platform: bool) -> bool:
    """Whether a model is available to a Being, as far as stored rows show without decrypting a key.

    Args:
        tx: The transaction; the key of the request that it serves counts.
        platform: Whether the platform's key serves users without one.
    """
    return tx.request_key_id is not None or bool(
        tx.value(
            "select memory.may_think(user_id, %s, %s) from memory.beings where being_id = %s",
            [platform, REFUSAL_HOLDS, being_id],
        )
    )


def paying(tx: Transaction, owner_id: UUID, request_key: UUID | None) -> EncryptedKey | None:
    """Select the key that pays for an owner's calls: the latest that its user stored, or else the request's own.

    A request's key is never used in place of a stored one, even if the provider rejects the stored one. Its
    `last_used_at` is updated at most once a minute.

    Raises:
        NotFound: The owner no longer exists.
    """
    key = tx.row(
        EncryptedKey,
        """
        select k.*
        from memory.owner_of(%(owner)s) as o, lateral (
            select *
            from memory.provider_keys
            where user_id = o.user_id
                and (expires_at is null or key_id = %(request)s and expires_at > clock_timestamp())
            order by expires_at is null desc, created_at desc
            limit 1
        ) as k
        """,
        {"owner": owner_id, "request": request_key},
    )
    if key:
        tx.execute(
            """
            update memory.provider_keys
            set last_used_at = clock_timestamp()
            where user_id = %s
                and key_id = %s
                and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')
            """,
            [key.user_id, key.key_id],
        )
    return key


def are_lent(tx: Transaction, being_id: UUID) -> bool:
    """Whether inputs of a Being may have come with keys that have not expired, so that these can pay for them."""
    return tx.exists(
        """
        select from memory.provider_keys join memory.beings using (user_id)
        where being_id = %s and expires_at > clock_timestamp()
        """,
        [being_id],
    )


def paying_at(tx: Transaction, user_id: UUID, provider: Provider) -> EncryptedKey | None:
    """Select the key that pays for a user's own requests to a provider: the one stored last there."""
    return tx.row(
        EncryptedKey,
        """
        select *
        from memory.provider_keys
        where user_id = %s and provider = %s and expires_at is null
        order by created_at desc
        limit 1
        """,
        [user_id, provider],
    )


def refused(tx: Transaction, key: EncryptedKey) -> bool:
    """Whether the provider rejected the key less than REFUSAL_HOLDS ago."""
    return tx.exists(
        """
        select
        from memory.provider_keys
        where user_id = %s and key_id = %s and refused_at > clock_timestamp() - %s
        """,
        [key.user_id, key.key_id, REFUSAL_HOLDS],
    )


def refuse(tx: Transaction, user_id: UUID, key_id: UUID, refusal: str) -> None:
    """Record that the provider rejects a key, and why."""
    tx.execute(
        """
        update memory.provider_keys
        set refused_at = clock_timestamp(), refusal = %s
        where user_id = %s and key_id = %s
        """,
        [refusal, user_id, key_id],
    )


def stored(tx: Transaction, user_id: UUID) -> list[ProviderKey]:
    """List the keys that a user has stored for good, oldest first."""
    return tx.rows(
        ProviderKey,
        """
        select *
        from memory.provider_keys
        where user_id = %s and expires_at is null
        order by created_at
        """,
        [user_id],
    )


def remove(tx: Transaction, user_id: UUID, key_id: UUID) -> bool:
    """Delete a key; returns false if the user has no such key."""
    return tx.changes(
        """
        delete from memory.provider_keys
        where user_id = %s and key_id = %s
        """,
        [user_id, key_id],
    )


def _lock_token(tx: Transaction, user_id: UUID, token_id: UUID) -> None:
    """Keep a token from being revoked until the transaction ends, so that its key is deleted with it.

    Raises:
        Refused: The token has been revoked.
    """
    valid = tx.execute(
        "select from memory.api_tokens where user_id = %s and token_id = %s and revoked_at is null for share",
        [user_id, token_id],
    )
    if not valid.rowcount:
        raise Refused("The token of this request has been revoked, so its provider key is not used.")


def waiting(tx: Transaction, rows: LiteralString, *, platform: bool, limit: int) -> list[Any]:
    """Select some that wait for a model, and whose user may use one now, in an order that locks them alike.

    Args:
        rows: The query of all that wait: an item, which can be sorted, and the id of its user.
        platform: Whether the platform's key serves users without one.
        limit: The most items, picked at random, so that those whose key turns out to fail keep no others waiting.
    """
    chosen: LiteralString = " where memory.thinks_now(user_id, %s, %s) order by random() limit %s"
    query: LiteralString = "select item from (" + rows + ") as w (item, user_id)" + chosen  # noqa: S608  # literals of ours
    return sorted(tx.column(query, [platform, REFUSAL_HOLDS, limit]))
