"""Shares the findings in an utterance of a room among all Beings present: one Being's copy of it is judged."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from uuid import UUID

from memory.erased import known_erased
from memory.erased.known_erased import Recognition
from memory.facts.confidence_rules import needs_unheard
from memory.talk import rolling
from schemas.accounts.accounts import Being
from schemas.settings import Settings
from store.accounts import erasure
from store.facts import facts, todos
from store.talk import rolling as session_states
from store.talk import utterances
from store.talk.utterances import FoundTodo
from store.transaction import Transaction


def lock(tx: Transaction, *beings: Being) -> None:
    """Lock the rolling summaries of Beings of one user, in the order of their ids, and their talk by `lock_talk`."""
    for being in beings:
        rolling.reserve(tx, being.being_id)
    lock_talk(tx, beings[0].being_id)


def begin_intake(
    tx: Transaction, settings: Settings, beings: Sequence[Being], lock: Callable[..., None] = lock
) -> dict[UUID, Recognition | None]:
    """Begin intake to Beings of one user, in any order; returns by Being the recognition of erased items.

    `lock` is the one above, or `withdrawal.lock` where messages are to be retracted.

    Raises:
        SecretMissing: No secret decrypts the key of the user's digests.
    """
    ordered = sorted(beings, key=attrgetter("being_id"))
    erased = {being.being_id: known_erased.for_intake(tx, settings, being.being_id) for being in ordered}
    lock(tx, *ordered)
    return erased


def lock_talk(tx: Transaction, being_id: UUID) -> None:
    """Lock the talk of all Beings among which utterances of one may have copies, in the order of their ids."""
    for each in utterances.roommates(tx, being_id):
        session_states.lock(tx, each)


def join(tx: Transaction, being: Being, message_ids: Sequence[UUID]) -> None:
    """Let messages that a Being gets later than others follow their copies, in a transaction that has called `lock`."""
    if message_ids and len(utterances.roommates(tx, being.being_id)) > 1:
        utterances.settle(tx, being.user_id, message_ids, newcomer=being.being_id)
        if share(tx, being.user_id, message_ids):
            erasure.remove_unused_names(tx, being.user_id)


def share(tx: Transaction, user_id: UUID, message_ids: Sequence[UUID]) -> bool:
    """Share the facts and todos found in utterances with each Being present, if it received all words that they need.

    A statement may say "Berlin" where the utterance says "there". It goes to no Being that was absent when the user
    named the place.

    Args:
        tx: The transaction, which has locked the talk of these Beings.
        message_ids: The utterances.

    Returns:
        Whether statements were moved to another scope, so that names may have become unused.
    """
    copies = utterances.following(tx, user_id, message_ids)
    if not copies:
        return False
    facts.lock(tx, user_id)
    pairs: list[tuple[UUID, UUID]] = []
    for (being_id, leads_id), some in groupby(copies, attrgetter("being_id", "leads_id")):
        ids = [copy.message_id for copy in some]
        shown = utterances.shown_with(tx, leads_id, ids)
        heard = utterances.with_copy(tx, being_id, list(shown))

        def is_heard(words: str, shown: Mapping[UUID, str] = shown, heard: set[UUID] = heard) -> bool:
            return not needs_unheard(
                words,
                (text for id_, text in shown.items() if id_ in heard),
                (text for id_, text in shown.items() if id_ not in heard),
            )

        pairs += [
            (one.evidence_id, being_id) for one in utterances.statements(tx, leads_id, ids) if is_heard(one.content)
        ]
        for found in utterances.todos(tx, leads_id, ids):
            if is_heard(found.words):
                _share_todo(tx, being_id, leads_id, found)
        todos.remove_outdated(tx, being_id, ids)
    utterances.share_evidence(tx, user_id, message_ids, pairs)
    return utterances.share_confidences(tx, user_id, message_ids)


def _share_todo(tx: Transaction, being_id: UUID, leads_id: UUID, found: FoundTodo) -> None:
    todo_id = utterances.counterpart(tx, being_id, leads_id, found.todo_id)
    if todo_id is None:
        if found.closes:
            return
        todo_id = todos.add(
            tx,
            being_id,
            kind=found.kind,
            content=found.words,
            due=found.due,
            source="shadow_extraction",
            confidence=found.confidence,
        )
    todos.add_evidence(
        tx,
        being_id,
        todo_id,
        found.message_id,
        found.span,
        content=found.content or found.words,
        due=found.due,
        due_at=found.due_at,
        due_until=found.due_until,
        closes=found.closes,
    )
