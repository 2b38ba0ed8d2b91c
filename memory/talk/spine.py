"""Spines: structured summaries of all of a user's messages to their Beings, each rewritten with every 20 messages.

They are made of the user's own judged messages: the one that all Beings see of those that were not said in confidence,
and each Being's own of those that were said to it in confidence, or while facts stay with those present. Each message
carries the version that includes it.
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
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from schemas.limits import SPINE_EVERY, SPINE_ITEMS
from schemas.talk.messages import Message
from schemas.talk.summaries import Spine, SummarySpine
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
    """Request new versions, `after` a while, of the spines for which at least 20 messages wait."""
    work.ask_each(tx, user_id, kinds.SPINE, dict.fromkeys(_keys_due(tx, user_id), after))


def request_after_judging(tx: Transaction, user_id: UUID, *, after: timedelta) -> None:
    """Request new versions as `request_if_due` does.

    While a version is being written, its end asks for the next one: only then the messages left by it are known.
    """
    waits = {
        key: BACKLOG_WAIT if work.state(tx, user_id, kinds.SPINE.name, key) == "running" else after
        for key in _keys_due(tx, user_id)
    }
    work.ask_each(tx, user_id, kinds.SPINE, waits)


def _keys_due(tx: Transaction, user_id: UUID) -> list[str]:
    """The keys of the work on spines that is due: the Being's id, or nothing for the one that all Beings see."""
    return [str(scope or "") for scope in spines.due(tx, user_id, SPINE_EVERY)]


def wait_for_more(tx: Transaction, user_id: UUID, done: Claim) -> timedelta:
    """Return how long the work that follows a judging waits, at the end of `done`: a judging, or a version.

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


class _Writing(ModelWork[SummaryUpdate[SummarySpine]]):
    """Writes a new version of the spine that the claim's key names, if at least 20 messages wait."""

    new: Sequence[PendingMessage]
    newest: Spine | None

    def read(self, tx: Transaction, open_session: OpenSession) -> Asking[SummaryUpdate[SummarySpine]]:
        user_id = self.claim.owner_id
        self.new = spines.pending(
            tx, user_id, self._scope, until=self.claim.as_of, own=MESSAGES_AT_ONCE, limit=MESSAGES_READ
        )
        self.newest = spines.newest(tx, user_id, self._scope)
        telling = [pending.message for pending in self.new if pending.telling]
        if not telling or not self._is_enough:
            return None
        llm = open_session([message.request_key_id for message in telling])
        if isinstance(llm, LlmUnavailable):
            return llm
        own_texts = {
            message_id: text
            for being_id in {pending.being_id for pending in self.new}
            for message_id, text in context_provenance.own_texts(tx, being_id, _telling(self.new, being_id)).items()
        }
        ask = asking(llm, SPINE, "", own_texts, check, setting.of_user(tx, user_id))
        return partial(update_summary, ask, self.newest.content if self.newest else None, telling, own_texts)

    @property
    def _scope(self) -> UUID | None:
        return UUID(self.claim.key) if self.claim.key else None

    @property
    def _is_enough(self) -> bool:
        return len(self.new) >= SPINE_EVERY

    def lock(self, tx: Transaction) -> None:
        facts.lock(tx, self.claim.owner_id)

    def keep(self, tx: Transaction, answer: SummaryUpdate[SummarySpine] | None) -> None:
        user_id = self.claim.owner_id
        # An erasure, or a decision about a confidence, may have removed the version that this one was made from.
        changed = self._is_enough and not (
            spines.newest(tx, user_id, self._scope) == self.newest and self._messages_stand(tx)
        )
        if self._is_enough and not changed:
            content = answer.summary if answer and answer.changed else None
            spines.keep(tx, user_id, self._scope, [pending.message.message_id for pending in self.new], content)
        request_if_due(tx, user_id, after=AT_ONCE if changed else wait_for_more(tx, user_id, self.claim))

    def wait(self, tx: Transaction, _: LlmUnavailable) -> None:
        if spines.wait_for_key(tx, self.claim.owner_id, waits=True):
            # Messages past the limit of one call may have come with a key that can pay for them.
            request_if_due(tx, self.claim.owner_id)

    def _messages_stand(self, tx: Transaction) -> bool:
        """Whether each message stands and is of the spine's scope; locks them until the transaction ends."""
        return all(
            messages.keep_from_erasure(
                tx, being_id, [pending.message.message_id for pending in self.new if pending.being_id == being_id]
            )
            and confidences.are_kept(
                tx,
                being_id,
                [message.message_id for message in _telling(self.new, being_id)],
                in_confidence=self._scope is not None,
            )
            for being_id in sorted({pending.being_id for pending in self.new})
        )


write = _Writing.do


def _telling(new: Sequence[PendingMessage], being_id: UUID) -> list[Message]:
    return [pending.message for pending in new if pending.telling and pending.being_id == being_id]
