"""Digests of erased items, the keys of these digests, and the items that are about to be erased."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from schemas.accounts.erasure_keys import ErasureKey
from store.accounts import request_answers
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ErasedNote:
    """A note that is about to be erased; `stands_elsewhere` if a remaining note has the same content."""

    producer_id: str | None
    content: Any
    stands_elsewhere: bool


@dataclass(frozen=True, slots=True)
class DigestedNote:
    """The parts of a stored note that its digests are computed from."""

    note_id: UUID
    producer_id: str | None
    content: Any


@dataclass(frozen=True, slots=True)
class DigestedMessage:
    """The parts of a stored message that its digests are computed from."""

    message_id: UUID
    conversation: str | None
    producer_id: str | None
    role: str
    content: str


@dataclass(frozen=True, slots=True)
class ErasedMessage(DigestedMessage):
    """A version of a message that is about to be erased.

    `stands_elsewhere` if a remaining message of the conversation has the same role and text.
    """

    stands_elsewhere: bool


def hold_intake(tx: Transaction, being_id: UUID) -> None:
    """Block intake to a Being until the transaction ends, after waiting for intake in progress.

    It must be the first statement of a transaction that erases items of the Being.
    """
    tx.execute("select memory.hold_intake(%s, true)", [being_id])


def key_for_intake(tx: Transaction, being_id: UUID) -> ErasureKey | None:
    """Return the user's key if items of the Being were erased; otherwise None.

    Blocks erasures of the Being's items until the transaction ends.
    """
    return tx.row(ErasureKey, "select user_id, key, sealed from memory.erasure_key_for_intake(%s)", [being_id])


def key_of(tx: Transaction, user_id: UUID) -> ErasureKey | None:
    """Return the user's key; None before the first erasure."""
    return tx.row(ErasureKey, "select user_id, key, sealed from memory.erasure_keys where user_id = %s", [user_id])


def add_key(tx: Transaction, key: ErasureKey) -> ErasureKey:
    """Store a user's first key; returns the stored one, which another transaction may have inserted before."""
    tx.execute(
        "insert into memory.erasure_keys (user_id, key, sealed) values (%s, %s, %s) on conflict do nothing",
        [key.user_id, key.key, key.sealed],
    )
    return key_of(tx, key.user_id) or key


def all_keys(tx: Transaction) -> list[ErasureKey]:
    """Return all users' keys, locked until the transaction ends."""
    return tx.rows(ErasureKey, "select user_id, key, sealed from memory.erasure_keys order by user_id for update")


def reencrypt(tx: Transaction, key: ErasureKey) -> None:
    """Replace the stored form of a user's key."""
    tx.execute(
        "update memory.erasure_keys set key = %s, sealed = %s where user_id = %s", [key.key, key.sealed, key.user_id]
    )


def remove(tx: Transaction, user_id: UUID) -> None:
    """Delete a user's key and the digests that were made with it: nothing erased is recognised any longer."""
    tx.execute("delete from memory.erased_items where user_id = %s", [user_id])
    tx.execute("delete from memory.erasure_keys where user_id = %s", [user_id])


def add(tx: Transaction, user_id: UUID, being_id: UUID | None, digests: Collection[bytes]) -> None:
    """Store digests of erased items of a Being, or with None of the vault's shared scope.

    The answers to the user's repeated requests are deleted, because they may repeat the erased items.
    """
    request_answers.remove(tx, user_id)
    tx.execute(
        """
        insert into memory.erased_items (user_id, being_id, digest)
        select %s, %s, digest from unnest(%s::bytea[]) as digest
        on conflict do nothing
        """,
        [user_id, being_id, list(digests)],
    )


def known(tx: Transaction, user_id: UUID, being_id: UUID | None, digests: Collection[bytes]) -> set[bytes]:
    """Return which of these digests are stored for the Being, if one is given, or for the vault's shared scope."""
    return tx.distinct(
        """
        select digest from memory.erased_items
        where user_id = %s and (being_id = %s::uuid or being_id is null) and digest = any(%s)
        """,
        [user_id, being_id, list(digests)],
    )


def inherit(tx: Transaction, user_id: UUID, being_id: UUID, from_being_id: UUID) -> None:
    """Copy the digests of a Being to its imported copy of the same user."""
    tx.execute(
        """
        insert into memory.erased_items (user_id, being_id, digest)
        select user_id, %s, digest from memory.erased_items where user_id = %s and being_id = %s
        on conflict do nothing
        """,
        [being_id, user_id, from_being_id],
    )


def notes(tx: Transaction, being_id: UUID, note_ids: Sequence[UUID]) -> list[ErasedNote]:
    """Return the parts of notes from which digests are computed, before the notes are erased."""
    return tx.rows(
        ErasedNote,
        """
        select n.producer_id, n.content, exists (
            select from memory.notes as other
            where other.being_id = n.being_id and other.content = n.content and other.note_id <> all(%(notes)s)
        ) as stands_elsewhere
        from memory.notes as n
        where n.being_id = %(being)s and n.note_id = any(%(notes)s)
        """,
        {"being": being_id, "notes": list(note_ids)},
    )


def notes_of_nodes(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> list[UUID]:
    """Return the notes that these nodes were made from."""
    return tx.column(
        "select note_id from memory.memory_nodes where being_id = %s and node_id = any(%s)", [being_id, list(node_ids)]
    )


def messages(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> list[ErasedMessage]:
    """Return the parts of messages from which digests are computed, before the messages are erased.

    With each message come all its versions, retracted ones too.
    """
    return tx.rows(
        ErasedMessage,
        """
        with gone as (
            select *
            from memory.message_versions
            where being_id = %(being)s and (
                message_id = any(%(messages)s) or producer_id = any(array(
                    select producer_id from memory.message_versions
                    where being_id = %(being)s and message_id = any(%(messages)s)
                ))
            )
        )
        select m.message_id, m.conversation, m.producer_id, m.role, m.content, exists (
            select from memory.messages as other
            where other.being_id = m.being_id and other.role = m.role and other.content = m.content
                and other.conversation is not distinct from m.conversation
                and other.message_id not in (select message_id from gone)
        ) as stands_elsewhere
        from gone as m
        """,
        {"being": being_id, "messages": list(message_ids)},
    )


def all_notes(tx: Transaction, being_id: UUID) -> list[DigestedNote]:
    """Return all notes of a Being."""
    return tx.rows(
        DigestedNote, "select note_id, producer_id, content from memory.notes where being_id = %s", [being_id]
    )


def all_messages(tx: Transaction, being_id: UUID) -> list[DigestedMessage]:
    """Return all messages of a Being, also retracted ones."""
    return tx.rows(
        DigestedMessage,
        "select message_id, conversation, producer_id, role, content from memory.message_versions where being_id = %s",
        [being_id],
    )
