"""The rolling summary of a Being's latest talk, rewritten with every four messages (state-and-memory seed).

Each rewrite gets the version before, so that an older point does not need repeating to stay. Each message carries the
version that took it in, so that it is taken in once, however late it arrives. Of a backlog, such as an import, the
newest messages are taken in; ended sessions before them have summaries of their own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from memory.grounding import setting
from memory.llm.model_work import Asking, ModelWork, OpenSession
from memory.llm.payer import LlmUnavailable
from memory.llm.prompting import prompt
from memory.talk import context_provenance
from memory.talk.summarising import AskPortion, SummaryUpdate, asking, update_summary
from memory.text.prompt_escaping import tagged
from memory.text.transcripts import MESSAGES_AT_ONCE
from providers.errors import BadAnswer, InputRefused, Misconfigured, ProviderError, Transient
from schemas.errors import BudgetSpent
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from schemas.limits import ROLLING_BACKLOG, ROLLING_CHARACTERS, ROLLING_EVERY
from schemas.talk.messages import Message
from schemas.talk.summaries import RollingSummary
from store.accounts import beings
from store.ledger import work
from store.talk import messages, rolling
from store.transaction import Transaction

ROLLING = prompt("rolling", RollingSummary, size="small", most_tokens=600)
# Marking this many messages takes some tenths of a second, for which intake to the Being waits.
PASSED_AT_ONCE = 5_000
REASONS: dict[type[Exception], str] = {
    BadAnswer: "bad_answer",
    InputRefused: "input_refused",
    BudgetSpent: "budget_spent",
    Transient: "provider_unavailable",
    Misconfigured: "misconfigured",
}


def request_if_due(tx: Transaction, being_id: UUID) -> None:
    """Request a rewrite if at least four messages wait for one."""
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


@dataclass(frozen=True)
class _Rewritten:
    """A rewrite, the version before it, and the messages that it adds."""

    so_far: str | None
    new: Sequence[UUID]
    result: SummaryUpdate[RollingSummary]


class _Rewriting(ModelWork[_Rewritten]):
    """Rewrites a Being's rolling summary, if at least four messages wait.

    After a fault of the provider no message is marked, and the session state records the reason.
    """

    def read(self, tx: Transaction, open_session: OpenSession) -> Asking[_Rewritten]:
        being_id = self.claim.owner_id
        new = _portion(tx, self.claim)
        if len(new) < ROLLING_EVERY:
            return None
        llm = open_session([message.request_key_id for message in new], min_inputs=ROLLING_EVERY)
        if isinstance(llm, LlmUnavailable):
            return llm
        new = [message for message in new if llm.pays_for(message.request_key_id)]
        rolling.note_attempt(tx, being_id)
        being = beings.get_being(tx, being_id)
        own_texts = context_provenance.own_texts(tx, being_id, new)
        ask = asking(llm, ROLLING, tagged("companion", being.name), own_texts, check, setting.of_being(tx, being))
        return partial(self._rewrite, ask, rolling.current(tx, being_id), new, own_texts)

    def _rewrite(
        self,
        ask: AskPortion[RollingSummary],
        so_far: str | None,
        new: Sequence[Message],
        own_texts: Mapping[UUID, str],
    ) -> _Rewritten:
        before = None if so_far is None else RollingSummary(summary=so_far)
        result = update_summary(ask, before, new, own_texts)
        return _Rewritten(so_far, [message.message_id for message in new], result)

    def after_fault(self, fault: ProviderError | BudgetSpent) -> _Rewritten:
        self.store.run(rolling.note_error, self.claim.owner_id, REASONS[type(fault)], str(fault))
        raise fault

    def keep(self, tx: Transaction, answer: _Rewritten | None) -> None:
        being_id = self.claim.owner_id
        if answer:
            rolling.lock(tx, being_id)
            # An erasure may have removed the version that this one was made from.
            unchanged = rolling.current(tx, being_id) == answer.so_far
            if unchanged and messages.keep_from_erasure(tx, being_id, answer.new):
                _keep(tx, being_id, answer.new, answer.result)
        request_if_due(tx, being_id)

    def wait(self, tx: Transaction, unavailable: LlmUnavailable) -> None:
        newly_waiting = rolling.wait_for_key(tx, self.claim.owner_id, waits=True)
        reason = "provider_unavailable" if unavailable.away else "no_key"
        rolling.note_error(tx, self.claim.owner_id, reason, unavailable.reason)
        if newly_waiting:
            # Messages past the limit of one call may have come with keys that can pay for them.
            request_if_due(tx, self.claim.owner_id)


summarise = _Rewriting.do


def _portion(tx: Transaction, claim: Claim) -> list[Message]:
    """Return the oldest pending messages that fit into one call, after passing over all but a backlog's newest.

    Returns none while more messages are to be passed over than one transaction should mark.
    """
    read = partial(rolling.pending, tx, claim.owner_id, until=claim.as_of, limit=MESSAGES_AT_ONCE)
    new = read()
    if len(new) < MESSAGES_AT_ONCE:
        return new
    passed = rolling.pass_over(tx, claim.owner_id, until=claim.as_of, newest=ROLLING_BACKLOG, limit=PASSED_AT_ONCE)
    if passed == PASSED_AT_ONCE:
        return []
    return read() if passed else new


def _keep(tx: Transaction, being_id: UUID, new: Sequence[UUID], result: SummaryUpdate[RollingSummary]) -> None:
    rolling.keep(tx, being_id, new, result.summary.summary.strip() if result.changed and result.summary else None)
    rolling.wait_for_key(tx, being_id, waits=False)
    for fault in result.faults[-1:]:
        rolling.note_error(tx, being_id, REASONS[type(fault)], str(fault))
