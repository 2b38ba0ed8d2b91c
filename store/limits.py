"""Limits on the number of an owner's rows of a kind, safe against concurrent transactions."""

from typing import Literal
from uuid import UUID

from schemas.errors import Refused
from store.transaction import Transaction

Kind = Literal["being", "token", "key", "request_key", "kept_note", "keyed_knowledge", "seed"]

TOO_MANY: dict[Kind, str] = {
    "being": "A user may have {most} Beings: erase one first, or have PATROL_MOST_BEINGS raised.",
    "token": "A user may have {most} valid tokens: revoke one first, or have PATROL_MOST_TOKENS raised.",
    "key": "A user may store {most} provider keys: remove one first.",
    "request_key": "{most} different provider keys came with requests of this user within the last hour or so, the"
    " limit: send the same key, or store it.",
    "kept_note": "A Being may keep {most} todos, reminders and knowledge notes: remove some first, or have"
    " PATROL_MOST_KEPT_NOTES raised.",
    "keyed_knowledge": "A Being may keep knowledge under {most} keys: remove some first, or have"
    " PATROL_MOST_KEYED_KNOWLEDGE raised.",
    "seed": "A user may have {most} seeds: hand in the rest as messages.",
}


def count(tx: Transaction, kind: Kind, owner_id: UUID) -> int:
    """Count an owner's rows of a kind, and lock the kind so that no other transaction adds one until this one ends."""
    return tx.value("select memory.hold_count(%s, %s)", [kind, owner_id])


def check(tx: Transaction, kind: Kind, owner_id: UUID, most: int) -> None:
    """Check the limit after this transaction has added a row.

    Raises:
        Refused: The owner has more than `most` rows of this kind; the text names the remedy.
    """
    if count(tx, kind, owner_id) > most:
        raise Refused(TOO_MANY[kind].format(most=most))
