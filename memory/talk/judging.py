"""The Shadow Judge: extracts facts and todos from a session's unjudged messages, with one call for all of them.

Intake requests it with every message; the work starts a call only once enough messages wait, so that a burst costs one
call. Each message carries a mark, set in the transaction that writes the facts found in it: it is judged exactly once.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from uuid import UUID

from memory.facts import vectors
from memory.facts.confidence_rules import Confidence
from memory.facts.extraction import CONTEXT_MESSAGES, OWN_CHARACTERS, Conversation, extract
from memory.facts.extraction_rules import ExtractedTodo, Extraction
from memory.facts.reconciliation import PreparedFacts, prepare
from memory.facts.scope import stay_with_those_present
from memory.facts.spoken_requests import applying
from memory.grounding import setting
from memory.llm.model_work import Asking, ModelWork, OpenSession
from memory.llm.payer import LlmUnavailable
from memory.llm.session import LlmSession
from memory.talk import context_provenance, session_summary, sharing, spine
from memory.talk import rolling as rolling_summary
from providers.thinkers import Thinkers
from schemas.accounts.accounts import Being
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from schemas.settings import Settings
from schemas.talk.messages import Message
from store.accounts import beings, erasure, users
from store.database import Store
from store.facts import entities, facts, spoken_requests, todos
from store.ledger import work
from store.ledger.work import AT_ONCE
from store.llm import drops
from store.talk import confidences, judging, messages
from store.talk.judging import UnjudgedCount
from store.transaction import Transaction

MESSAGES_AT_ONCE = 50
# The Being's own messages, in which only promises are looked for, are read beside them.
MESSAGES_READ = 100
CHARACTERS_AT_ONCE = 24_000
ENTITIES_SHOWN = 60
TODOS_SHOWN = 30
FACTS_SHOWN = 20


def request_judging(tx: Transaction, settings: Settings, being_id: UUID, session_ids: Sequence[UUID]) -> None:
    """Request judging of sessions that got messages: at once if enough wait, else when the quiet time has passed."""
    sessions = judging.count_unjudged(tx, being_id, session_ids)
    after = {str(session.session_id): _waits(settings, session) for session in sessions}
    work.ask_each(tx, being_id, kinds.JUDGE, after)


def request_waiting(store: Store, thinkers: Thinkers) -> None:
    """Request judging of up to 200 sessions that waited for a key and have a usable one of their user now."""
    platform = thinkers.has_platform()
    with store.transaction() as tx:
        waiting = judging.sessions_waiting(tx, platform=platform, limit=200)
        for being_id, session in waiting:
            work.ask(tx, being_id, kinds.JUDGE, str(session))
        for being_id, session in waiting:
            judging.wait_for_key(tx, being_id, [session], waits=False)


@dataclass(frozen=True)
class _Judgement:
    """The findings in new messages of a conversation.

    `secret` are the messages in confidence, and `unjudgeable` those on which each call failed, with the reason.
    """

    conversation: Conversation
    new: Sequence[Message]
    extraction: Extraction
    unjudgeable: Mapping[UUID, str]
    prepared: PreparedFacts
    secret: Collection[UUID]

    @property
    def shown(self) -> list[UUID]:
        """The messages that the calls showed."""
        return [message.message_id for message in self.conversation.messages]


class _Judging(ModelWork[_Judgement]):
    """Judges a session's unjudged messages, if enough wait or the session is quiet or over."""

    # The user, if one of the requests is to mute something.
    mutes_for: UUID | None = None

    def read(self, tx: Transaction, open_session: OpenSession) -> Asking[_Judgement]:
        being_id, session_id = self.claim.owner_id, UUID(self.claim.key)
        sessions = judging.count_unjudged(tx, being_id, [session_id])
        new = _portion(tx, self.claim, session_id) if _is_due(self.settings, sessions) else []
        if not new:
            return None
        llm = open_session([message.request_key_id for message in new], min_inputs=1)
        if isinstance(llm, LlmUnavailable):
            return llm
        new = [message for message in new if llm.pays_for(message.request_key_id)]
        being = beings.get_being(tx, being_id)
        kept_apart = stay_with_those_present(tx, self.settings, being.user_id)
        return partial(self._judge, llm, _conversation(tx, being, session_id, new, llm), new, kept_apart=kept_apart)

    def _judge(
        self, llm: LlmSession, conversation: Conversation, new: Sequence[Message], *, kept_apart: bool
    ) -> _Judgement:
        extraction, unjudgeable = extract(llm, conversation)
        if any(request.wish == "do not mention" for request in extraction.requests):
            self.mutes_for = conversation.being.user_id
        if kept_apart:
            extraction.confidences.update(Confidence(message.message_id, message.message_id) for message in new)
        secret = {one.message_id for one in extraction.confidences}
        secret |= {message.message_id for message in new if message.in_confidence}
        prepared = prepare(self.store, llm, conversation.being, extraction.facts, secret)
        return _Judgement(conversation, new, extraction, unjudgeable, prepared, secret)

    def lock_intake(self, tx: Transaction) -> None:
        if self.mutes_for:
            users.hold_alone(tx, self.mutes_for)

    def lock(self, tx: Transaction) -> None:
        # Intake, erasure and retraction lock the talk before they request this work.
        sharing.lock_talk(tx, self.claim.owner_id)

    def keep(self, tx: Transaction, answer: _Judgement | None) -> None:
        being_id, session_id = self.claim.owner_id, UUID(self.claim.key)
        if answer:
            facts.lock(tx, answer.conversation.being.user_id)
            # Results from a message that was withdrawn meanwhile are not kept: the others are judged without it.
            # Messages that a withdrawal moved to another session are judged there.
            stands = messages.keep_from_erasure(tx, being_id, answer.shown, tellable=False)
            if stands and judging.all_wait(tx, being_id, session_id, answer.new):
                _keep(tx, self.settings, session_id, answer)
        # Messages that came in since this unit of work was claimed belong to the next one.
        request_judging(tx, self.settings, being_id, [session_id])
        if answer:
            user_id = answer.conversation.being.user_id
            after = spine.wait_for_more(tx, user_id, self.claim)
            vectors.request_embedding(tx, user_id, after=after)
            spine.request_after_judging(tx, user_id, after=after)

    def wait(self, tx: Transaction, _: LlmUnavailable) -> None:
        being_id, session_id = self.claim.owner_id, UUID(self.claim.key)
        if judging.wait_for_key(tx, being_id, [session_id], waits=True):
            # Messages past the limit of one call may have come with keys that can pay for them.
            request_judging(tx, self.settings, being_id, [session_id])


judge = _Judging.do


def _is_due(settings: Settings, sessions: Sequence[UnjudgedCount]) -> bool:
    return any(_waits(settings, session) <= AT_ONCE for session in sessions)


def _waits(settings: Settings, session: UnjudgedCount) -> timedelta:
    """How much longer a session waits for more messages."""
    if session.ended or session.waiting >= settings.judge_messages:
        return AT_ONCE
    return max(AT_ONCE, settings.judge_quiet - session.quiet_for)


def _portion(tx: Transaction, claim: Claim, session_id: UUID) -> list[Message]:
    """The oldest unjudged messages that fit into one call: 50 and the Being's between them, or 24,000 characters.

    It is at least one message, however long.
    """
    new: list[Message] = []
    room = CHARACTERS_AT_ONCE
    others = 0
    for message in judging.unjudged(tx, claim.owner_id, session_id, until=claim.as_of, limit=MESSAGES_READ):
        own = message.role == "assistant"
        others += not own
        room -= min(len(message.content), OWN_CHARACTERS) if own else len(message.content)
        if new and (room < 0 or others > MESSAGES_AT_ONCE):
            break
        new.append(message)
    return new


def _conversation(
    tx: Transaction, being: Being, session_id: UUID, new: Sequence[Message], llm: LlmSession
) -> Conversation:
    earlier = [
        message
        for message in judging.preceding(tx, being.being_id, new, count=CONTEXT_MESSAGES)
        # A request's key is shown no message that another key is to pay for.
        if message.judged or llm.pays_for(message.request_key_id)
    ]
    shown = sorted([*earlier, *new], key=lambda message: (message.created_at, message.message_id))
    new_ids = frozenset(message.message_id for message in new)
    known = entities.listed(tx, being.user_id, being.being_id, after=None, limit=ENTITIES_SHOWN)
    return Conversation(
        being=being,
        messages=shown,
        own_texts=context_provenance.own_texts(tx, being.being_id, shown),
        new=new_ids,
        entities=known,
        todos=todos.supported(tx, being.being_id, TODOS_SHOWN),
        setting=setting.of_being(tx, being, known),
        facts=spoken_requests.candidate_facts(
            tx,
            being.user_id,
            being.being_id,
            shown=[message.message_id for message in shown],
            new=new_ids,
            session_id=session_id,
            limit=FACTS_SHOWN,
        ),
        ignored=spoken_requests.ignored(tx, being.being_id, list(new_ids)),
    )


def _keep(tx: Transaction, settings: Settings, session_id: UUID, judgement: _Judgement) -> None:
    being, extraction = judgement.conversation.being, judgement.extraction
    judged = [message.message_id for message in judgement.new]
    judgement.prepared.keep(tx, being.user_id)
    for found in extraction.todos:
        todo_id = found.known or _todo(tx, being.being_id, found)
        todos.add_evidence(
            tx,
            being.being_id,
            todo_id,
            found.message.message_id,
            found.span,
            content=found.content,
            due=found.due,
            due_at=found.time.starts_at if found.time else None,
            due_until=found.time.ends_at if found.time else None,
            closes=found.done,
        )
    facts_shown = judgement.conversation.facts
    applied = applying.apply(tx, being, judged, extraction.requests, facts_shown, judgement.secret)
    extraction.dropped.update(applied.dropped)
    request_judging(tx, settings, being.being_id, applied.sessions)
    if applied.mutes_changed:
        rolling_summary.request_if_due(tx, being.being_id)
        session_summary.request_due(tx, being.being_id)
    # Todos and facts that an earlier judging found in these messages, and this one did not.
    todos.remove_outdated(tx, being.being_id, judged)
    removed = facts.remove_outdated(tx, being.being_id, judged)
    judging.mark_judged(tx, being.being_id, judged)
    pairs = sorted((one.message_id, one.asked_in) for one in extraction.confidences)
    if confidences.keep(tx, being.being_id, judged, pairs) or removed:
        erasure.remove_unused_names(tx, being.user_id)
    judging.wait_for_key(tx, being.being_id, [session_id], waits=False)
    drops.count(tx, being.being_id, "judge", extraction.dropped + extraction.doubted)
    judging.record_judgement(
        tx,
        being.being_id,
        session_id,
        judged=judged,
        shown=judgement.shown,
        facts=len(extraction.facts),
        todos=len(extraction.todos),
        dropped=extraction.dropped,
    )
    judging.mark_unjudgeable(tx, being.being_id, judgement.unjudgeable)
    if sharing.share(tx, being.user_id, judged):
        erasure.remove_unused_names(tx, being.user_id)


def _todo(tx: Transaction, being_id: UUID, found: ExtractedTodo) -> UUID:
    again = todos.found_again(
        tx, being_id, found.message.message_id, kind=found.kind, span=found.span, content=found.content
    )
    return again or todos.add(
        tx,
        being_id,
        kind=found.kind,
        content=found.content,
        due=found.due,
        source="shadow_extraction",
        confidence=found.confidence,
    )
