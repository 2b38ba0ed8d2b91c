"""Carries out requests to the memory that the user made in talk, once for each message, and undoes them.

A request in talk erases nothing: facts and todos are archived, a correction is one more statement, and a message
that is not to be remembered, or not to be mentioned, keeps its words. An effect that a person undid is not repeated
when the message is judged again.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.facts.extraction_rules import ExtractedRequest
from memory.text.entity_names import entity_ref
from schemas.accounts.accounts import Being
from schemas.errors import NotFound
from schemas.facts.fact_rows import Fact, SpokenRequest
from store.facts import facts, spoken_requests, todos
from store.facts.spoken_requests import RequestEffect
from store.facts.statements import NewStatement, add_statements
from store.talk import mutes
from store.transaction import Transaction, new_ids


@dataclass(frozen=True)
class RequestEffects:
    """The effects of requests.

    Attributes:
        sessions: Sessions with messages to judge, because a request that had hidden them was found no more.
        dropped: How many effects could not be had, by reason.
        mutes_changed: Whether summaries may have to be written again, since something was muted, or is no more.
    """

    sessions: Sequence[UUID]
    dropped: Counter[str]
    mutes_changed: bool = False


def apply(
    tx: Transaction,
    being: Being,
    judged: Sequence[UUID],
    requests: Sequence[ExtractedRequest],
    shown: Sequence[Fact],
    secret: Collection[UUID],
) -> RequestEffects:
    """Carry out the requests of messages that were just judged, and undo earlier requests that are found no more.

    Args:
        tx: The transaction, which has locked the Being's talk and the user's facts.
        being: The Being that was asked.
        judged: The ids of the judged messages.
        requests: The requests.
        shown: The facts as the model was shown them: one that changed since is left alone.
        secret: The ids of messages in confidence: their corrections stay with this Being.
    """
    dropped = Counter[str]()
    known = {one.fact_id: one.content for one in shown}
    before: dict[tuple[UUID, str, UUID | str | None], SpokenRequest] = {
        (one.message_id, one.effect, one.fact_id or one.todo_id or one.meant_message_id or one.name): one
        for one in spoken_requests.requests_in(tx, being.being_id, judged)
    }
    wanted = {done.target: (request, done) for request in requests for done in _effects(tx, being, request)}
    gone = [one.request_id for target, one in before.items() if target not in wanted and one.undone_at is None]
    sessions = spoken_requests.remove(tx, being.being_id, gone) if gone else []
    for target, (request, done) in wanted.items():
        if (earlier := before.get(target)) and (earlier.undone_at is not None or done.effect != "corrected"):
            continue
        if reason := _do(tx, being, request, done, known, secret):
            dropped[reason] += 1
        else:
            spoken_requests.add(tx, being.user_id, being.being_id, done)
    ignored = [
        done.meant_message_id
        for _, done in wanted.values()
        if done.meant_message_id is not None and done.effect == "ignored"
    ]
    spoken_requests.keep_evidence(tx, being.being_id, ignored)
    changed = bool(gone) or any(done.effect == "muted" for _, done in wanted.values())
    return RequestEffects(sessions, dropped, mutes_changed=changed)


def _effects(tx: Transaction, being: Being, request: ExtractedRequest) -> Iterator[RequestEffect]:
    """Yield the effects of a request, each on one item; facts and todos that rest on its messages are included."""
    own = request.message.message_id, request.span
    resting = spoken_requests.resting_on(tx, being.user_id, being.being_id, request.messages)
    if request.wish == "correct":
        if (fact_ids := request.facts or [fact.fact_id for fact in resting]) and len(fact_ids) == 1:
            yield RequestEffect(*own, "corrected", fact_id=fact_ids[0])
        return
    if request.wish == "do not mention":
        for message_id in request.messages:
            yield RequestEffect(*own, "muted", meant_message_id=message_id)
        for fact_id in request.facts:
            yield RequestEffect(*own, "muted", fact_id=fact_id)
        if request.about:
            known = mutes.entities_named(tx, being.user_id, being.being_id, request.about)
            yield RequestEffect(*own, "muted", name=known[0] if known else entity_ref("person", request.about))
        return
    for message_id in request.messages:
        yield RequestEffect(*own, "ignored", meant_message_id=message_id)
    for fact_id in dict.fromkeys([*request.facts, *(fact.fact_id for fact in resting)]):
        yield RequestEffect(*own, "forgotten", fact_id=fact_id)
    also = spoken_requests.todos_resting_on(tx, being.being_id, request.messages)
    for todo_id in dict.fromkeys([*request.todos, *also]):
        yield RequestEffect(*own, "forgotten", todo_id=todo_id)


def _do(
    tx: Transaction,
    being: Being,
    request: ExtractedRequest,
    done: RequestEffect,
    known: Mapping[UUID, str],
    secret: Collection[UUID],
) -> str | None:
    """Have an effect; returns why it could not be had, None if it was."""
    try:
        if done.todo_id is not None:
            return _forget_todo(tx, being, done.todo_id)
        if done.fact_id is not None:
            fact = facts.get(tx, being.user_id, being.being_id, done.fact_id)
            if done.effect == "muted":
                _mute(tx, being, done, fact.being_id)
                return None
            if known.get(fact.fact_id, fact.content) != fact.content:
                return "changed meanwhile"
            return (
                _correct(tx, being, request, fact, secret) if done.effect == "corrected" else _forget(tx, being, fact)
            )
    except NotFound:
        return "gone meanwhile"
    if done.effect == "muted":
        _mute(tx, being, done, None if done.name else being.being_id)
    return None


def _mute(tx: Transaction, being: Being, done: RequestEffect, owner_id: UUID | None) -> None:
    """Mute a fact, a message or an entity, and the message that asks for it."""
    mutes.add(
        tx,
        being.user_id,
        owner_id,
        "fact" if done.fact_id else "message" if done.meant_message_id else "entity",
        item_id=done.fact_id or done.meant_message_id,
        name=done.name,
        asked_in=(being.being_id, done.message_id),
    )


def _forget(tx: Transaction, being: Being, fact: Fact) -> str | None:
    if fact.pinned:
        return "pinned"
    facts.set_status(tx, being.user_id, fact.fact_id, "ARCHIVED")
    return None


def _forget_todo(tx: Transaction, being: Being, todo_id: UUID) -> str | None:
    todo = todos.get(tx, being.being_id, todo_id)
    if todo.pinned:
        return "pinned"
    if todo.status == "OPEN":
        todos.change(tx, being.being_id, todo_id, {"status": "ARCHIVED"})
    return None


def _correct(
    tx: Transaction, being: Being, request: ExtractedRequest, fact: Fact, secret: Collection[UUID]
) -> str | None:
    """Add a statement that contradicts all that a fact says, with the words that ask as its evidence.

    A correction in confidence of a fact that all Beings know is known to this one alone: the others' fact stays.
    """
    if fact.status != "ACTIVE":
        return "gone meanwhile"
    in_confidence = request.message.message_id in secret and fact.being_id is None
    filed = spoken_requests.statements_of(tx, being.user_id, fact.fact_id)
    (statement_id,) = new_ids(tx, 1)
    statement = NewStatement(
        statement_id=statement_id,
        scope=being.being_id if in_confidence else fact.being_id,
        type=fact.type,
        entity_label=fact.entity_label,
        fact_type=fact.subtype.factType,
        mentioned_refs=filed.mentioned_refs,
        subject_ref=filed.subject_ref,
        content=request.statement or "",
        source="shadow_extraction",
        confidence=1.0,
        importance=fact.importance,
        told_at=request.message.created_at,
        span=request.span,
        being_id=being.being_id,
        message_id=request.message.message_id,
        contradicts=tuple(filed.statement_ids),
        about_from=request.time.starts_at if request.time else None,
        about_until=request.time.ends_at if request.time else None,
    )
    add_statements(tx, being.user_id, [statement])
    return None
