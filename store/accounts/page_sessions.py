"""Sessions of the memory page: logins of browsers by a token, or by a link that is used once."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from schemas.accounts.accounts import Token
from store.transaction import Transaction


class StoredPageSession(NamedTuple):
    """A session: its token, its second secret, and when it expires."""

    token: Token
    request_secret: str
    expires_at: datetime


def add(tx: Transaction, user_id: UUID, token_id: UUID, hashed: bytes, lifetime: timedelta, most: int) -> None:
    """Store a session by its secret's hash, and delete the token's expired ones and those beyond the newest `most`."""
    tx.execute(
        """
        delete from memory.page_sessions
        where user_id = %(user)s and token_id = %(token)s and (
            expires_at < clock_timestamp()
            or session_id not in (
                select session_id from memory.page_sessions
                where user_id = %(user)s and token_id = %(token)s
                order by session_id desc
                limit %(others)s
            )
        )
        """,
        {"user": user_id, "token": token_id, "others": most - 1},
    )
    tx.execute(
        """
        insert into memory.page_sessions (user_id, token_id, hash, expires_at)
        values (%s, %s, %s, clock_timestamp() + %s::interval)
        """,
        [user_id, token_id, hashed, lifetime],
    )


def add_link(tx: Transaction, user_id: UUID, token_id: UUID, hashed: bytes, lifetime: timedelta) -> None:
    """Store a link by its secret's hash: a session that has not begun."""
    tx.execute(
        """
        insert into memory.page_sessions (user_id, token_id, hash, expires_at, link_used)
        values (%s, %s, %s, clock_timestamp() + %s::interval, false)
        """,
        [user_id, token_id, hashed, lifetime],
    )


def use_link(tx: Transaction, link: bytes, hashed: bytes, lifetime: timedelta) -> bool:
    """Begin the session of a link under a hash of its own; returns whether the link was valid and not used before."""
    return tx.changes(
        """
        update memory.page_sessions as s
        set hash = %s, expires_at = clock_timestamp() + %s::interval, link_used = true
        from memory.api_tokens as t
        where s.hash = %s and not s.link_used and s.expires_at > clock_timestamp()
            and t.user_id = s.user_id and t.token_id = s.token_id and t.revoked_at is null
        """,
        [hashed, lifetime, link],
    )


def remove_past_links(tx: Transaction, user_id: UUID) -> None:
    """Delete a user's tokens of links that have expired, or whose sessions have."""
    tx.execute(
        """
        delete from memory.api_tokens as t
        using memory.page_sessions as s
        where s.user_id = %s and s.link_used is not null and s.expires_at < clock_timestamp()
            and t.user_id = s.user_id and t.token_id = s.token_id
        """,
        [user_id],
    )


def find(tx: Transaction, hashed: bytes) -> StoredPageSession | None:
    """Return a session that has not expired; None if session or token is invalid."""
    row: dict[str, Any] | None = tx.execute(
        """
        select t.*, s.request_secret, s.expires_at as session_expires_at
        from memory.page_sessions as s
        join memory.api_tokens as t on t.user_id = s.user_id and t.token_id = s.token_id
        where s.hash = %s and s.link_used is not false and s.expires_at > clock_timestamp()
            and t.revoked_at is null and (t.expires_at is null or t.expires_at > clock_timestamp())
        """,
        [hashed],
    ).fetchone()
    if row is None:
        return None
    request_secret, expires_at = str(row.pop("request_secret")), row.pop("session_expires_at")
    return StoredPageSession(Token.model_validate(row), request_secret, expires_at)


def remove(tx: Transaction, hashed: bytes) -> None:
    """Delete the session with that hash, if there is one."""
    tx.execute("delete from memory.page_sessions where hash = %s", [hashed])
