"""The rolling summary of a Being's latest talk, rewritten with every four messages (state-and-memory seed).

Each rewrite gets the version before, so that an older point does not need repeating to stay. Each message carries the
version that took it in, so that it is taken in once, however late it arrives. Of a backlog, such as an import, the
newest messages are taken in; ended sessions before them have summaries of their own.
"""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

import structlog

from memory.grounding import setting
from memory.llm.prompting import prompt
from memory.llm.session import LlmSession, LlmUnavailable, llm_session
from memory.talk import context_provenance
from memory.talk.summarising import SummaryUpdate, asking, update_summary
from memory.text.prompt_escaping import tagged
from memory.text.transcripts import MESSAGES_AT_ONCE
from providers.errors import BadAnswer, InputRefused, Misconfigured, ProviderError, Transient
from providers.thinkers import Thinkers
from schemas.errors import BudgetSpent
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from schemas.limits import ROLLING_BACKLOG, ROLLING_CHARACTERS, ROLLING_EVERY
from schemas.settings import Settings
from schemas.talk.messages import Message
from schemas.talk.summaries import RollingSummary
from store.accounts import beings
from store.database import Store
from store.ledger import work
from store.talk import messages, rolling
from store.transaction import Transaction

log = structlog.get_logger()

ROLLING = prompt("rolling", RollingSummary, size="small", most_tokens=600)
# Marking so many messages takes some tenths of a second, for which intake to the Being waits.
PASSED_AT_ONCE = 5_000
REASONS: dict[type[Exception], str] = {
    BadAnswer: "bad_answer",
    InputRefused: "input_refused",
    BudgetSpent: "budget_spent",
    Transient: "provider_unavailable",
    Misconfigured: "misconfigured",
}


def request_if_due(tx: Transaction, being_id: UUID) -> None:
    """Request a rewrite if at least four messages wait to be taken in."""
    if rolling.due(tx, being_id, every=ROLLING_EVERY):
        work.ask(tx, being_id, kinds.ROLLING_SUMMARY)


def reserve(tx: Transaction, being_id: UUID) -> None:
    """Lock the work row of rewrites. It must be locked before the session state, as a finishing rewrite does."""
    work.reserve(tx, being_id, kinds.ROLLING_SUMMARY)


def check(answer: RollingSummary) -> None:
    """Check a summary's length.

    Raises:
        BadAnswer: It is empty, or longer than 600 characters.
    """
    length = len(answer.summary.strip())
    if not length:
        raise BadAnswer("`summary` is empty.")
    if length > ROLLING_CHARACTERS:
        raise BadAnswer(f"`summary` has {length} characters, and may have {ROLLING_CHARACTERS}: say less.")


def summarise(store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """Rewrite a Being's rolling summary, if at least four messages wait.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `LlmSession.ask`; no message is marked, and the session
            state records the reason.
    """
    being_id = claim.owner_id
    llm: LlmSession | LlmUnavailable | None = None
    with store.transaction() as tx:
        new = _portion(tx, claim)
        if len(new) >= ROLLING_EVERY:
            brought = [message.request_key_id for message in new]
            llm = llm_session(tx, store, thinkers, settings, claim, brought, min_inputs=ROLLING_EVERY)
        if isinstance(llm, LlmSession):
            new = [message for message in new if llm.pays_for(message.request_key_id)]
            rolling.note_attempt(tx, being_id)
            being = beings.get_being(tx, being_id)
            so_far = rolling.current(tx, being_id)
            own_texts = context_provenance.own_texts(tx, being_id, new)
            whose = setting.of_being(tx, being)
    if llm is None:
        with store.finishing(claim) as tx:
            request_if_due(tx, being_id)
        return
    if isinstance(llm, LlmUnavailable):
        _wait_for_key(store, claim, llm)
        return
    before = None if so_far is None else RollingSummary(summary=so_far)
    ask = asking(llm, ROLLING, tagged("companion", being.name), own_texts, check, whose)
    try:
        result = update_summary(ask, before, new, own_texts)
    except (ProviderError, BudgetSpent) as fault:
        with store.transaction() as tx:
            rolling.note_error(tx, being_id, REASONS[type(fault)], str(fault))
        raise
    with store.finishing(claim) as tx:
        rolling.lock(tx, being_id)
        # An erasure may have removed the version that this one was made from.
        unchanged = rolling.current(tx, being_id) == so_far
        if unchanged and messages.keep_from_erasure(tx, being_id, [message.message_id for message in new]):
            _keep(tx, being_id, new, result)
        request_if_due(tx, being_id)


def _portion(tx: Transaction, claim: Claim) -> list[Message]:
    """The oldest pending messages that fit into one call, once what is older than a backlog's newest is passed over.

    None while there is more of that than one transaction should mark.
    """
    read = partial(rolling.pending, tx, claim.owner_id, until=claim.as_of, limit=MESSAGES_AT_ONCE)
    new = read()
    if len(new) < MESSAGES_AT_ONCE:
        return new
    passed = rolling.pass_over(tx, claim.owner_id, until=claim.as_of, newest=ROLLING_BACKLOG, limit=PASSED_AT_ONCE)
    if passed == PASSED_AT_ONCE:
        return []
    return read() if passed else new


def _keep(tx: Transaction, being_id: UUID, new: Sequence[Message], result: SummaryUpdate[RollingSummary]) -> None:
    summary = result.summary.summary.strip() if result.changed and result.summary else None
    rolling.keep(tx, being_id, [message.message_id for message in new], summary)
    rolling.wait_for_key(tx, being_id, waits=False)
    for fault in result.faults[-1:]:
        rolling.note_error(tx, being_id, REASONS[type(fault)], str(fault))


def _wait_for_key(store: Store, claim: Claim, unavailable: LlmUnavailable) -> None:
    """Mark no message; the Being's summaries are requested again once its user has a usable key."""
    with store.finishing(claim) as tx:
        newly_waiting = rolling.wait_for_key(tx, claim.owner_id, waits=True)
        reason = "provider_unavailable" if unavailable.away else "no_key"
        rolling.note_error(tx, claim.owner_id, reason, unavailable.reason)
        if newly_waiting:
            # Messages past the limit of one call may have come with keys that can pay for them.
            request_if_due(tx, claim.owner_id)
    log.info("summaries.wait_for_key", reason=unavailable.logged, being_id=str(claim.owner_id))
