"""The Beings of users."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from schemas.accounts.accounts import Being
from schemas.errors import Refused, existing
from schemas.limits import OFF_THE_RECORD_CONVERSATIONS
from schemas.nodes.nodes import ROOTS
from store import limits
from store.transaction import Transaction, once


def add_being(tx: Transaction, user_id: UUID, slug: str, name: str, *, most: int | None = None) -> Being:
    """Create a Being with its two root clusters.

    Args:
        slug: Its short name in URLs, unique for the user.
        name: Its display name.
        most: The most Beings that the user may have; None: any number.

    Raises:
        Refused: The user has a Being with that slug, or `most` Beings.
    """
    with once(tx, f"You have a Being with the slug {slug} already."):
        being = tx.one(
            Being,
            "insert into memory.beings (user_id, slug, name) values (%s, %s, %s) returning *",
            [user_id, slug, name],
        )
    if most is not None:
        limits.check(tx, "being", user_id, most)
    tx.execute(
        """
        insert into memory.clusters (being_id, cluster_id, name, is_parent, parent_id)
        select %s, root.id, root.name, true, root.id
        from (select uuidv7() as id, unnest(%s::text[]) as name) as root
        """,
        [being.being_id, list(ROOTS)],
    )
    return being


def change_being(tx: Transaction, being_id: UUID, changes: Mapping[str, Any]) -> Being:
    """Set the columns that `changes` holds; None clears `scenes` and the budgets, and leaves the others.

    `off_the_record_in` has, by conversation, whether it is off the record.

    Raises:
        Refused: Too many conversations would be off the record.
    """
    conversations: Mapping[str, bool] = changes.get("off_the_record_in") or {}
    being = tx.one(
        Being,
        """
        update memory.beings
        set name = coalesce(%(name)s, name), language = coalesce(%(language)s, language),
            scenes = case when 'scenes' = any(%(named)s) then %(scenes)s else scenes end,
            daily_cost = case when 'daily_cost' = any(%(named)s) then %(daily_cost)s else daily_cost end,
            daily_tokens = case when 'daily_tokens' = any(%(named)s) then %(daily_tokens)s else daily_tokens end,
            off_the_record = coalesce(%(off_the_record)s, off_the_record),
            off_the_record_in = array(
                select distinct one
                from unnest(off_the_record_in || %(off)s::text[]) as one
                where one <> all(%(on)s::text[])
                order by one
            )
        where being_id = %(being_id)s
        returning *
        """,
        {
            **dict.fromkeys(("name", "language", "scenes", "daily_cost", "daily_tokens", "off_the_record")),
            **changes,
            "named": list(changes),
            "being_id": being_id,
            "off": [one for one, is_off in conversations.items() if is_off],
            "on": [one for one, is_off in conversations.items() if not is_off],
        },
    )
    if len(being.off_the_record_in) > OFF_THE_RECORD_CONVERSATIONS:
        raise Refused(
            f"At most {OFF_THE_RECORD_CONVERSATIONS} conversations of a Being can be off the record: put some of them"
            " on the record again, or the whole Being off it."
        )
    return being


def find_being(tx: Transaction, user_id: UUID, being: str) -> Being | None:
    """Return the user's Being with that id or slug."""
    return tx.row(
        Being,
        "select * from memory.beings where user_id = %s and (slug = %s or being_id = %s)",
        [user_id, being, id_in(being)],
    )


def id_in(text: str) -> UUID | None:
    """Return the id that a text is, in the usual notation; None if it is none."""
    try:
        being_id = UUID(text)
    except ValueError:
        return None
    return being_id if str(being_id) == text.lower() else None


def get_being(tx: Transaction, being_id: UUID) -> Being:
    """Return the Being with an id that comes from the ledger, not from a caller.

    Raises:
        NotFound: It no longer exists.
    """
    return existing(find_any(tx, being_id), f"There is no Being {being_id}.")


def lock(tx: Transaction, being_id: UUID) -> None:
    """Lock a Being against other writers of its memory until the transaction ends.

    Raises:
        NotFound: It no longer exists.
    """
    tx.execute("select memory.lock_being(%s)", [being_id])


def user_of(tx: Transaction, owner_id: UUID) -> UUID | None:
    """The user that an owner is, or whose Being it is; None where it is gone."""
    return tx.value(
        """
        select user_id from memory.beings where being_id = %(owner)s
        union all
        select user_id from memory.users where user_id = %(owner)s
        """,
        {"owner": owner_id},
    )


def find_any(tx: Transaction, being_id: UUID) -> Being | None:
    """Return the Being with that id, of any user."""
    return tx.row(Being, "select * from memory.beings where being_id = %s", [being_id])


def adopt_model(tx: Transaction, being_id: UUID, model: str) -> None:
    """Set the embedding model of a locked Being that has none.

    Raises:
        Refused: It has another model by now; embed again, with that one.
    """
    had = get_being(tx, being_id).embedding_model
    if had is None:
        tx.execute("update memory.beings set embedding_model = %s where being_id = %s", [model, being_id])
    elif had != model:
        raise Refused("The Being has another embedding model now: embed again.")


def beings_named(tx: Transaction, being: str) -> list[Being]:
    """Return all users' Beings with that id or slug, for the operator."""
    return tx.rows(
        Being,
        "select * from memory.beings where slug = %s or being_id::text = lower(%s) order by being_id",
        [being, being],
    )


def all_beings(tx: Transaction, limit: int | None = None) -> list[Being]:
    """Return all users' Beings, oldest first, for the operator."""
    return tx.rows(Being, "select * from memory.beings order by being_id limit %s", [limit])


def beings_of(tx: Transaction, user_id: UUID) -> list[Being]:
    """Return the user's Beings, oldest first."""
    return tx.rows(Being, "select * from memory.beings where user_id = %s order by being_id", [user_id])
