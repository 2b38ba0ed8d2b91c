"""The spine: a structured summary of all that a user has told their Beings, rewritten with every 20 messages.

It is made of the user's own messages that were judged, and of none that were said in confidence. Each message carries
the version that took it in.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from uuid import UUID

from memory.grounding import setting
from memory.llm.model_work import Asking, ModelWork, OpenSession
from memory.llm.payer import LlmUnavailable
from memory.llm.prompting import prompt
from memory.talk import context_provenance
from memory.talk.summarising import SummaryUpdate, asking, check_lines, update_summary
from memory.text.transcripts import MESSAGES_AT_ONCE
from providers.thinkers import Thinkers
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from schemas.limits import SPINE_EVERY, SPINE_ITEMS
from schemas.settings import Settings
from schemas.talk.messages import Message
from schemas.talk.summaries import Spine, SummarySpine
from store.database import Store
from store.facts import facts
from store.ledger import work
from store.ledger.work import AT_ONCE
from store.talk import confidences, judging, messages, spines
from store.talk.spines import PendingMessage
from store.transaction import Transaction

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
    _Writing(store, settings, claim).perform(thinkers)


class _Writing(ModelWork[SummaryUpdate[SummarySpine]]):
    new: Sequence[PendingMessage]
    newest: Spine | None

    def read(self, tx: Transaction, open_session: OpenSession) -> Asking[SummaryUpdate[SummarySpine]]:
        user_id = self.claim.owner_id
        self.new = spines.pending(tx, user_id, until=self.claim.as_of, own=MESSAGES_AT_ONCE, limit=MESSAGES_READ)
        self.newest = spines.newest(tx, user_id)
        shared = [pending.message for pending in self.new if pending.shared]
        if not shared or not self._is_enough:
            return None
        llm = open_session([message.request_key_id for message in shared])
        if isinstance(llm, LlmUnavailable):
            return llm
        own_texts = {
            message_id: text
            for being_id in {pending.being_id for pending in self.new}
            for message_id, text in context_provenance.own_texts(tx, being_id, _shared(self.new, being_id)).items()
        }
        ask = asking(llm, SPINE, "", own_texts, check, setting.of_user(tx, user_id))
        return partial(update_summary, ask, self.newest.content if self.newest else None, shared, own_texts)

    @property
    def _is_enough(self) -> bool:
        return len(self.new) >= SPINE_EVERY

    def lock(self, tx: Transaction) -> None:
        facts.lock(tx, self.claim.owner_id)

    def keep(self, tx: Transaction, answer: SummaryUpdate[SummarySpine] | None) -> None:
        user_id = self.claim.owner_id
        # An erasure, or a confidence, may have removed the version that this one was made from.
        changed = self._is_enough and not (spines.newest(tx, user_id) == self.newest and _still_shared(tx, self.new))
        if self._is_enough and not changed:
            content = answer.summary if answer and answer.changed else None
            spines.keep(tx, user_id, [pending.message.message_id for pending in self.new], content)
        request_if_due(tx, user_id, after=AT_ONCE if changed else wait_for_more(tx, user_id, self.claim))

    def wait(self, tx: Transaction, _: LlmUnavailable) -> None:
        if spines.wait_for_key(tx, self.claim.owner_id, waits=True):
            # Messages past the limit of one call may have come with a key that can pay for them.
            request_if_due(tx, self.claim.owner_id)


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
