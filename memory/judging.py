"""The Shadow Judge: facts and todos out of what a user has said, one call for all that has gathered (DESIGN section 7).

It is asked for with every message and looks for itself whether enough has gathered, so that a burst costs one call.
What has been judged is a mark on each message, set in the transaction that writes what was found: judged exactly once.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from uuid import UUID

import structlog

from memory import fact_vectors, receipts, spine
from memory.evidence import Sound, told_in_confidence
from memory.listening import CONTEXT_MESSAGES, Conversation, listen
from memory.telling import Telling, prepare
from memory.thinking import NoMind, mind_for
from providers.thinkers import Thinkers
from schemas.rows import Being, Message
from schemas.settings import Settings
from schemas.work import Claim, Ring
from store import entities, judging, todos, users, work
from store.database import Store
from store.transaction import Transaction

log = structlog.get_logger()

KIND = "shadow.judge"
QUEUE = "shadow"
MESSAGES_AT_ONCE = 50
CHARACTERS_AT_ONCE = 24_000
ENTITIES_SHOWN = 60
TODOS_SHOWN = 30
AT_ONCE = timedelta(0)


def ask_for_judging(tx: Transaction, settings: Settings, being_id: UUID, session_ids: Sequence[UUID]) -> list[Ring]:
    """Messages came into sessions: those that hold enough are due at once, the others when they have been quiet."""
    return [
        ring
        for session in judging.gathered(tx, being_id, session_ids)
        for ring in work.ask(
            tx,
            being_id,
            KIND,
            str(session.session_id),
            QUEUE,
            after=AT_ONCE if session.ended or session.waiting >= settings.judge_messages else settings.judge_quiet,
        )
    ]


def ask_for_waiting(store: Store, thinkers: Thinkers, limit: int = 200) -> list[Ring]:
    """Wake sessions whose messages waited for a key, where the user has one now."""
    platform = thinkers.has_platform()
    with store.transaction() as tx:
        found = judging.sessions_waiting(tx, platform=platform, limit=limit)
        rings = [ring for being_id, session in found for ring in work.ask(tx, being_id, KIND, str(session), QUEUE)]
        for being_id, session in found:
            judging.wait_for_key(tx, being_id, [session], waits=False)
        return rings


def judge(store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> list[Ring]:
    """Judge what has gathered in a session, if it is time; returns what to ring for.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `Mind.ask`; nothing is marked, what was said is kept.
    """
    being_id, session_id = claim.owner_id, UUID(claim.key)
    with store.transaction() as tx:
        waits = _wait(tx, settings, being_id, session_id)
        new = _gathered(tx, claim, session_id)
    if waits is None or waits > AT_ONCE or not new:
        return _later(store, claim, waits)
    mind = mind_for(store, thinkers, settings, claim)
    if isinstance(mind, NoMind):
        return _without_a_mind(store, claim, mind, session_id)
    with store.transaction() as tx:
        being = users.get_being(tx, being_id)
        talk = _conversation(tx, being, new)
    sound, unjudgeable = listen(mind, talk)
    telling = prepare(store, mind, being.user_id, being_id, sound.facts)
    with store.finishing(claim) as tx:
        _keep(tx, being, session_id, new, sound, telling)
        judging.mark_unjudgeable(tx, being_id, unjudgeable)
        # What came in since this unit was claimed is the next one's.
        more = ask_for_judging(tx, settings, being_id, [session_id])
        return [*fact_vectors.ask(tx, being.user_id), *spine.ask(tx, being.user_id), *more]


def _wait(tx: Transaction, settings: Settings, being_id: UUID, session_id: UUID) -> timedelta | None:
    """How much longer to wait for more; None where nothing is left to judge."""
    for session in judging.gathered(tx, being_id, [session_id]):
        if session.ended or session.waiting >= settings.judge_messages:
            return AT_ONCE
        return max(AT_ONCE, settings.judge_quiet - session.quiet_for)
    return None


def _gathered(tx: Transaction, claim: Claim, session_id: UUID) -> list[Message]:
    """So many of the new messages as one call takes, the oldest first; at least one, however long."""
    new: list[Message] = []
    room = CHARACTERS_AT_ONCE
    for message in judging.unjudged(tx, claim.owner_id, session_id, until=claim.as_of, limit=MESSAGES_AT_ONCE):
        room -= len(message.content)
        if new and room < 0:
            break
        new.append(message)
    return new


def _conversation(tx: Transaction, being: Being, new: Sequence[Message]) -> Conversation:
    earlier = judging.before(tx, being.being_id, new, count=CONTEXT_MESSAGES)
    said = sorted([*earlier, *new], key=lambda message: (message.created_at, message.message_id))
    return Conversation(
        being=being,
        said=said,
        heard=receipts.heard(tx, being.being_id, said),
        new=frozenset(message.message_id for message in new),
        entities=entities.listed(tx, being.user_id, being.being_id, ENTITIES_SHOWN),
        todos=todos.page(tx, being.being_id, limit=TODOS_SHOWN),
    )


def _keep(
    tx: Transaction, being: Being, session_id: UUID, new: Sequence[Message], sound: Sound, telling: Telling
) -> None:
    telling.keep(tx, being.user_id)
    for found in sound.todos:
        todo_id = found.known or todos.add(
            tx,
            being.being_id,
            kind=found.kind,
            content=found.content,
            due=found.due,
            source="shadow_extraction",
            confidence=found.confidence,
        )
        todos.support(tx, being.being_id, todo_id, found.message.message_id, found.span, closes=found.done)
    judging.mark_judged(tx, being.being_id, [message.message_id for message in new])
    private = {fact.message.message_id for fact in sound.facts if fact.in_confidence}
    private |= {message.message_id for message in new if told_in_confidence(message)}
    judging.mark_in_confidence(tx, being.being_id, list(private))
    judging.wait_for_key(tx, being.being_id, [session_id], waits=False)
    judging.note(
        tx,
        being.being_id,
        session_id,
        messages=len(new),
        facts=len(sound.facts),
        todos=len(sound.todos),
        dropped=sound.dropped,
    )


def _later(store: Store, claim: Claim, waits: timedelta | None) -> list[Ring]:
    with store.finishing(claim) as tx:
        return [] if waits is None else work.ask(tx, claim.owner_id, KIND, claim.key, QUEUE, after=waits)


def _without_a_mind(store: Store, claim: Claim, mind: NoMind, session_id: UUID) -> list[Ring]:
    """Leave the messages as they are; the first key that comes wakes the session."""
    wait = partial(judging.wait_for_key, being_id=claim.owner_id, session_ids=[session_id], waits=True)
    # Messages on their way in have their session when they ask for this work.
    with store.finishing(claim, first=wait):
        pass
    log.info("shadow.waits_for_key", reason=mind.logged, being_id=str(claim.owner_id), session_id=claim.key)
    return []
