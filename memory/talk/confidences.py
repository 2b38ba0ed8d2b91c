"""A person sets or lifts a confidence: on a message, or on the messages that a fact or a todo rests on.

Facts, todos and statements that rest on these messages move with them, in the transaction of the decision. The spine is
written again without them, or with them.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from memory.facts import editing, vectors
from memory.facts import todos as todo_editing
from memory.talk import spine
from schemas.accounts.accounts import Being
from schemas.errors import NotFound
from schemas.facts.fact_requests import FactChanges, TodoChanges
from schemas.facts.fact_rows import Fact, Todo
from schemas.talk.messages import Message
from store.accounts import beings, erasure, request_answers
from store.database import Store
from store.facts import facts, todos
from store.talk import confidences, utterances
from store.talk import rolling as session_states
from store.transaction import Transaction


def decide_on_messages(store: Store, being: Being, ids: Sequence[str], *, in_confidence: bool) -> list[Message]:
    """Set or lift the confidence of messages, named by their own ids or by those of their producer; returns them.

    Raises:
        NotFound: This Being has no standing message of one of these ids; nothing was changed.
    """
    own = [id_ for id_ in map(beings.id_in, ids) if id_ is not None]
    with store.transaction() as tx:
        roommates = utterances.roommates(tx, being.being_id)
        _lock(tx, being.user_id, roommates)
        found = confidences.messages(tx, being.being_id, ids, own)
        known = {id_ for message in found for id_ in (message.producer_id, str(message.message_id))}
        if unknown := [id_ for id_ in ids if not known & {id_, id_.lower()}]:
            raise NotFound(f"This Being has no message of {len(unknown)} of these ids. Nothing was changed.")
        message_ids = [message.message_id for message in found]
        _decide(tx, being, _copies(tx, roommates, message_ids), in_confidence=in_confidence)
        return confidences.messages(tx, being.being_id, [], message_ids)


def change_fact(store: Store, being: Being, fact_id: UUID, changes: FactChanges) -> Fact:
    """Change a fact; returns the changed fact, which may be another one of its key if its confidence changed.

    Raises:
        NotFound, Refused: As `editing.change`.
    """
    with store.transaction() as tx:
        if changes.in_confidence is not None:
            # It may rest on messages to any of them.
            _lock(tx, being.user_id, sorted(each.being_id for each in beings.beings_of(tx, being.user_id)))
        editing.change(tx, being, fact_id, changes)
        if changes.in_confidence is not None:
            fact_id = _decide_on_fact(tx, being, fact_id, in_confidence=changes.in_confidence)
        return facts.get(tx, being.user_id, being.being_id, fact_id)


def change_todo(store: Store, being: Being, todo_id: UUID, changes: TodoChanges) -> Todo:
    """Change a todo; returns the changed todo.

    Raises:
        NotFound, Refused: As `todo_editing.change`.
    """
    with store.transaction() as tx:
        todos.get(tx, being.being_id, todo_id)
        if changes.in_confidence is not None:
            roommates = utterances.roommates(tx, being.being_id)
            _lock(tx, being.user_id, roommates)
            sources = confidences.sources_of_todo(tx, being.being_id, todo_id)
            _decide(tx, being, _copies(tx, roommates, sources), in_confidence=changes.in_confidence)
        todo_editing.change(tx, being, todo_id, changes)
        return todos.get(tx, being.being_id, todo_id)


def _copies(tx: Transaction, being_ids: Sequence[UUID], message_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """Return all copies of messages by Being: a room's message is in confidence for all Beings present, or for none."""
    return {being_id: sorted(utterances.with_copy(tx, being_id, message_ids)) for being_id in being_ids}


def _lock(tx: Transaction, user_id: UUID, being_ids: Sequence[UUID]) -> None:
    """Lock the rows that decisions write, in the common order: the talk of these Beings, then the user's facts."""
    for being_id in being_ids:
        session_states.lock(tx, being_id)
    facts.lock(tx, user_id)


def _decide_on_fact(tx: Transaction, being: Being, fact_id: UUID, *, in_confidence: bool) -> UUID:
    """Decide on all that a fact rests on, messages to other Beings included; returns the fact as the Being has it."""
    user_id = being.user_id
    sources, seed_ids = confidences.sources_of_fact(tx, user_id, fact_id)
    _decide(tx, being, sources, in_confidence=in_confidence)
    confidences.scope_fact(tx, user_id, fact_id, seed_ids, being.being_id if in_confidence else None)
    erasure.remove_unused_names(tx, user_id)
    own = sources.get(being.being_id, [])
    return confidences.fact_of(tx, user_id, being.being_id, fact_id, own, seed_ids) or fact_id


def _decide(tx: Transaction, being: Being, sources: Mapping[UUID, Sequence[UUID]], *, in_confidence: bool) -> None:
    """Set or lift the confidence of messages, by Being; answers that are stored for repeated requests go."""
    for being_id in sorted(sources):
        confidences.decide(tx, being_id, sources[being_id], in_confidence=in_confidence)
    erasure.remove_unused_names(tx, being.user_id)
    request_answers.remove(tx, being.user_id)
    vectors.request_embedding(tx, being.user_id)
    spine.request_if_due(tx, being.user_id)
