"""The spine: a structured summary of all that a user has told their Beings, rewritten with every 20 messages.

It is made of the user's own messages that were judged, and of none that were said in confidence. Each message carries
the version that took it in.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from uuid import UUID

import structlog

from memory.grounding import setting
from memory.llm.prompting import prompt
from memory.llm.session import LlmSession, LlmUnavailable, llm_session
from memory.talk import context_provenance
from memory.talk.summarising import SummaryUpdate, asking, check_lines, update_summary
from memory.text.transcripts import MESSAGES_AT_ONCE
from providers.thinkers import Thinkers
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from schemas.limits import SPINE_EVERY, SPINE_ITEMS
from schemas.settings import Settings
from schemas.talk.messages import Message
from schemas.talk.summaries import SummarySpine
from store.database import Store
from store.facts import facts
from store.ledger import work
from store.ledger.work import AT_ONCE
from store.talk import confidences, judging, messages, spines
from store.talk.spines import PendingMessage
from store.transaction import Transaction

log = structlog.get_logger()

# A version takes in as many of the user's messages as one call shows, and those of Beings between them.
MESSAGES_READ = 4 * MESSAGES_AT_ONCE
BACKLOG_WAIT = timedelta(seconds=30)
SPINE = prompt("spine", SummarySpine, size="large", most_tokens=4_000)


def request_if_due(tx: Transaction, user_id: UUID, *, after: timedelta = AT_ONCE) -> None:
    """Request a new version, `after` a while, if at least 20 messages wait to be taken in."""
    if spines.enough_wait(tx, user_id, SPINE_EVERY):
        work.ask(tx, user_id, kinds.SPINE, after=after)


def request_after_judging(tx: Transaction, user_id: UUID, *, after: timedelta) -> None:
    """Request a new version as `request_if_due` does.

    While a version is being written, its end asks for the next one: only then it is known what the version has left.
    """
    if spines.enough_wait(tx, user_id, SPINE_EVERY):
        being_written = work.state(tx, user_id, kinds.SPINE.name, "") == "running"
        work.ask(tx, user_id, kinds.SPINE, after=BACKLOG_WAIT if being_written else after)


def wait_for_more(tx: Transaction, user_id: UUID, done: Claim) -> timedelta:
    """How long what comes of judging waits, at the end of `done`: a judging, or a version.

    In a backlog, such as an import, it waits until all is judged, but at most half a minute. Judging comes first, and
    then one call of a model takes in as many messages, or facts, as it can.
    """
    return BACKLOG_WAIT if judging.more_is_judged(tx, user_id, kinds.JUDGE, done) else AT_ONCE


def check(answer: SummarySpine) -> None:
    """Check the number and lengths of a spine's items.

    Raises:
        BadAnswer: A section has more than 40 items, or an item more than 300 characters.
    """
    for name, lines in answer.model_dump().items():
        check_lines(name, lines, SPINE_ITEMS)


def write(store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """Write a new version of a user's spine, if at least 20 messages wait.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `LlmSession.ask`; no message is marked.
    """
    user_id = claim.owner_id
    lock = partial(facts.lock, user_id=user_id)
    llm: LlmSession | LlmUnavailable | None = None
    with store.transaction() as tx:
        new = spines.pending(tx, user_id, until=claim.as_of, own=MESSAGES_AT_ONCE, limit=MESSAGES_READ)
        newest = spines.newest(tx, user_id)
        own_texts = {
            message_id: text
            for being_id in {pending.being_id for pending in new}
            for message_id, text in context_provenance.own_texts(tx, being_id, _shared(new, being_id)).items()
        }
        shared = [pending.message for pending in new if pending.shared]
        whose = setting.of_user(tx, user_id)
        if shared and len(new) >= SPINE_EVERY:
            brought = [message.request_key_id for message in shared]
            llm = llm_session(tx, store, thinkers, settings, claim, brought)
    if len(new) < SPINE_EVERY:
        with store.finishing(claim, first=lock) as tx:
            request_if_due(tx, user_id, after=wait_for_more(tx, user_id, claim))
        return
    if isinstance(llm, LlmUnavailable):
        _wait_for_key(store, claim, llm)
        return
    result = SummaryUpdate(newest.content if newest else None)
    if llm is not None:
        result = update_summary(asking(llm, SPINE, "", own_texts, check, whose), result.summary, shared, own_texts)
    with store.finishing(claim, first=lock) as tx:
        # An erasure, or a confidence, may have removed the version that this one was made from.
        kept = spines.newest(tx, user_id) == newest and _still_shared(tx, new)
        if kept:
            content = result.summary if result.changed else None
            spines.keep(tx, user_id, [pending.message.message_id for pending in new], content)
        request_if_due(tx, user_id, after=wait_for_more(tx, user_id, claim) if kept else AT_ONCE)


def _shared(new: Sequence[PendingMessage], being_id: UUID) -> list[Message]:
    return [pending.message for pending in new if pending.shared and pending.being_id == being_id]


def _still_shared(tx: Transaction, new: Sequence[PendingMessage]) -> bool:
    """Whether no message was erased or kept in confidence since it was read; locks them until the transaction ends."""
    return all(
        messages.keep_from_erasure(
            tx, being_id, [pending.message.message_id for pending in new if pending.being_id == being_id]
        )
        and confidences.none_in_confidence(tx, being_id, [message.message_id for message in _shared(new, being_id)])
        for being_id in sorted({pending.being_id for pending in new})
    )


def _wait_for_key(store: Store, claim: Claim, unavailable: LlmUnavailable) -> None:
    """Mark no message; the spine is requested again once the user has a usable key."""
    with store.finishing(claim, first=partial(facts.lock, user_id=claim.owner_id)) as tx:
        if spines.wait_for_key(tx, claim.owner_id, waits=True):
            # Messages past the limit of one call may have come with a key that can pay for them.
            request_if_due(tx, claim.owner_id)
    log.info("spine.waits_for_key", reason=unavailable.logged, user_id=str(claim.owner_id))
