"""Impressions: statements from closed sessions about the user as a person, and about a Being's project and mood."""

from collections.abc import Collection, Sequence
from uuid import UUID

from schemas.context.persona import SoulState, UserModel
from schemas.limits import USER_MODEL_CHARACTERS, USER_MODEL_STATEMENTS
from schemas.talk.impressions import ImpressionKind, RestingImpression
from store.transaction import Transaction


def replace(tx: Transaction, being_id: UUID, session_id: UUID, impressions: Sequence[RestingImpression]) -> None:
    """Store the impressions of a session in place of those before."""
    tx.execute("delete from memory.session_impressions where being_id = %s and session_id = %s", [being_id, session_id])
    with tx.cursor() as cursor:
        cursor.executemany(
            """
            insert into memory.session_impressions
                (being_id, session_id, kind, place, content, message_ids, told_at)
            values (%s, %s, %s, %s, %s, %s, %s)
            """,
            [
                (being_id, session_id, one.kind, place, one.content, one.message_ids, one.told_at)
                for place, one in enumerate(impressions)
            ],
        )


def remove(tx: Transaction, being_ids: Collection[UUID], kinds: Collection[ImpressionKind]) -> None:
    """Remove all impressions of some kinds."""
    tx.execute(
        "delete from memory.session_impressions where being_id = any(%s) and kind = any(%s)",
        [list(being_ids), list(kinds)],
    )


def user_model(tx: Transaction, user_id: UUID, being_id: UUID | None) -> UserModel | None:
    """The newest statements about a user as a person, oldest first, one a line; None if there are none.

    They are those that all of the user's Beings know, and with a Being those that this Being alone has.
    """
    rows = tx.execute(
        """
        select distinct on (content) content, told_at
        from (
            select i.content, i.told_at
            from memory.beings as b
            cross join lateral (
                select content, told_at
                from memory.seen_impressions
                where being_id = b.being_id and kind = 'user-model' and (shared or being_id = %(being)s::uuid)
                order by told_at desc, place desc
                limit %(most)s
            ) as i
            where b.user_id = %(user)s
        ) as newest
        order by content, told_at desc
        """,
        {"user": user_id, "being": being_id, "most": USER_MODEL_STATEMENTS},
    ).fetchall()
    rows.sort(key=lambda row: (row["told_at"], row["content"]))
    lines = [f"- {row['content']}" for row in rows[-USER_MODEL_STATEMENTS:]]
    while len("\n".join(lines)) > USER_MODEL_CHARACTERS:
        lines = lines[1:]
    if not lines:
        return None
    return UserModel(content="\n".join(lines), written_by="model", updated_at=rows[-1]["told_at"])


def state(tx: Transaction, being_id: UUID) -> SoulState:
    """The state of a Being, of each kind as the newest session has it."""
    rows = tx.execute(
        """
        select kinds.kind, i.content, i.told_at
        from unnest(array['project', 'mood', 'topic']) as kinds (kind)
        cross join lateral (
            select content, told_at
            from memory.seen_impressions as seen
            where seen.being_id = %s and seen.kind = kinds.kind
            order by told_at desc
            limit 1
        ) as i
        """,
        [being_id],
    ).fetchall()
    parts = {row["kind"]: row["content"] for row in rows}
    return SoulState(**parts, updated_at=max((row["told_at"] for row in rows), default=None))
