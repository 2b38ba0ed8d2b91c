"""The rolling summary: how a user and a Being have talked lately, rewritten with every four messages (state seed).

Each rewrite is given the one before, so that nothing is lost for not having been said again. What was taken in is a
mark on each message, so that it happens once, however late a message comes in.
"""

from collections.abc import Sequence
from uuid import UUID

import structlog

from memory import receipts
from memory.fences import fenced
from memory.prompting import prompt
from memory.summarising import Summed, summed_up
from memory.thinking import Mind, NoMind, mind_for
from memory.transcript import MESSAGES_AT_ONCE
from providers.errors import BadAnswer, InputRefused, Misconfigured, ProviderError, Transient
from providers.thinkers import Thinkers
from schemas.limits import ROLLING_CHARACTERS, ROLLING_EVERY
from schemas.rows import Message
from schemas.settings import Settings
from schemas.summaries import RollingSummary
from schemas.work import Claim, Ring
from store import messages, rolling, users, work
from store.database import Store
from store.errors import BudgetSpent
from store.transaction import Transaction

log = structlog.get_logger()

KIND = "rolling.summarise"
QUEUE = "rolling"
ROLLING = prompt("rolling", RollingSummary, size="small", most_tokens=600)
REASONS: dict[type[Exception], str] = {
    BadAnswer: "bad_answer",
    InputRefused: "input_refused",
    BudgetSpent: "budget_spent",
    Transient: "provider_unavailable",
    Misconfigured: "misconfigured",
}


def ask(tx: Transaction, being_id: UUID) -> list[Ring]:
    """Ask for a rewrite where enough was said since the last."""
    return work.ask(tx, being_id, KIND, "", QUEUE) if rolling.due(tx, being_id, every=ROLLING_EVERY) else []


def reserve(tx: Transaction, being_id: UUID) -> None:
    """Take the row that asks for rewrites, before the Being's session state: so does a rewrite that is kept."""
    work.reserve(tx, being_id, KIND, "")


def check(answer: RollingSummary) -> None:
    """Hold a summary against its measure.

    Raises:
        BadAnswer: It is empty, or too long.
    """
    length = len(answer.summary.strip())
    if not length:
        raise BadAnswer("`summary` is empty.")
    if length > ROLLING_CHARACTERS:
        raise BadAnswer(f"`summary` has {length} characters, and may have {ROLLING_CHARACTERS}: say less.")


def summarise(store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> list[Ring]:
    """Rewrite a Being's rolling summary, if enough was said; returns what to ring for.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `Mind.ask`; nothing is marked, and the state says why.
    """
    being_id = claim.owner_id
    with store.transaction() as tx:
        new = rolling.unrolled(tx, being_id, until=claim.as_of, limit=MESSAGES_AT_ONCE)
    if len(new) < ROLLING_EVERY:
        with store.finishing(claim) as tx:
            return ask(tx, being_id)
    mind = mind_for(store, thinkers, settings, claim)
    if isinstance(mind, NoMind):
        return _without_a_mind(store, claim, mind)
    try:
        so_far, result = _rewritten(store, mind, being_id, new)
    except (ProviderError, BudgetSpent) as fault:
        with store.transaction() as tx:
            rolling.note_error(tx, being_id, REASONS[type(fault)], str(fault))
        raise
    with store.finishing(claim) as tx:
        # What it went on from may have been erased as well, with words that were in it.
        unchanged = rolling.current(tx, being_id) == so_far
        if unchanged and messages.keep_from_erasure(tx, being_id, [message.message_id for message in new]):
            _keep(tx, being_id, new, result)
        return ask(tx, being_id)


def _rewritten(
    store: Store, mind: Mind, being_id: UUID, new: Sequence[Message]
) -> tuple[str | None, Summed[RollingSummary]]:
    """The summary so far, and what became of it."""
    with store.transaction() as tx:
        rolling.note_attempt(tx, being_id)
        being = users.get_being(tx, being_id)
        so_far = rolling.current(tx, being_id)
        heard = receipts.heard(tx, being_id, new)
    before = None if so_far is None else RollingSummary(summary=so_far)
    return so_far, summed_up(mind, ROLLING, fenced("companion", being.name), before, new, heard, check)


def _keep(tx: Transaction, being_id: UUID, new: Sequence[Message], result: Summed[RollingSummary]) -> None:
    told = result.summary.summary.strip() if result.told and result.summary else None
    rolling.keep(tx, being_id, [message.message_id for message in new], told)
    for fault in result.faults[-1:]:
        rolling.note_error(tx, being_id, REASONS[type(fault)], str(fault))


def _without_a_mind(store: Store, claim: Claim, mind: NoMind) -> list[Ring]:
    """Leave everything as it is; the first key that comes wakes the Being's summaries."""
    with store.finishing(claim) as tx:
        rolling.wait_for_key(tx, claim.owner_id, waits=True)
        rolling.note_error(tx, claim.owner_id, "no_key", mind.reason)
    log.info("summaries.wait_for_key", reason=mind.logged, being_id=str(claim.owner_id))
    return []
