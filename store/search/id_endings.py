"""Rows that a Being knows, by the end of their ids, as people type them."""

from collections.abc import Mapping
from typing import LiteralString
from uuid import UUID

from schemas.accounts.accounts import Being
from schemas.search import Thing
from store.transaction import Transaction

_IDS: Mapping[Thing, LiteralString] = {
    "fact": """
        select fact_id as id from memory.facts
        where user_id = %(user)s and (being_id = %(being)s or being_id is null) and content <> ''
    """,
    "todo": "select todo_id as id from memory.todos where being_id = %(being)s",
    "merge": "select merge_id as id from memory.entity_merges where user_id = %(user)s",
    "request": "select request_id as id from memory.spoken_requests where being_id = %(being)s",
    "session": "select session_id as id from memory.sessions where being_id = %(being)s",
    "mute": """
        select mute_id as id from memory.mutes
        where user_id = %(user)s and (being_id = %(being)s or being_id is null)
    """,
}


def find(tx: Transaction, being: Being, thing: Thing, ending: str) -> list[UUID]:
    """Up to two things whose id ends so; two mean that it is ambiguous."""
    return tx.column(
        "with known as ("  # noqa: S608  # of constants
        + _IDS[thing]
        + """
        )
        select id from known
        where right(id::text, length(%(ending)s)) = lower(%(ending)s)
        order by id
        limit 2
        """,
        {"user": being.user_id, "being": being.being_id, "ending": ending},
    )
