"""Joint summaries of a Being's short sessions: one model call writes a summary of each of up to 20.

The work is one row per Being. Which sessions a call covers depends on the first claim's time alone, so that a worker
that repeats the work after a kill builds the same prompt, and finds its stored response.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from uuid import UUID

from memory.llm.model_work import Asking, ModelWork, OpenSession
from memory.llm.payer import LlmUnavailable
from memory.llm.portions import ask_in_turn, halves
from memory.llm.prompting import extended, prompt
from memory.llm.session import LlmSession
from memory.talk import context_provenance, scene_drawing, session_summary
from memory.talk.impressions import Impressions
from memory.talk.impressions import refs as refs_of_own
from memory.talk.scene_drawing import SceneDrawing
from memory.talk.session_summary import SummarisedSession
from memory.talk.summarising import grounded
from memory.text.prompt_escaping import tagged
from memory.text.transcripts import transcript
from providers.errors import BadAnswer, InputRefused
from schemas.ledger import kinds
from schemas.limits import SHORT_SESSIONS_AT_ONCE
from schemas.talk.impressions import ShortSession, ShortSessions
from schemas.talk.messages import Message
from schemas.talk.scenes import DrawnScene, SessionsWithScenes, ShortWithScenes
from store.accounts import beings
from store.ledger import work
from store.talk import messages, rolling, session_summaries
from store.transaction import Transaction

CLOSE_SHORT = prompt("close_short", ShortSessions, size="small", most_tokens=8_000)
CLOSE_SHORT_AND_DRAW = extended(CLOSE_SHORT, "scenes", DrawnScene, SessionsWithScenes, most_tokens=14_000)


@dataclass(frozen=True)
class _ShortSession:
    """A queued session with the mark under which it was queued, and its messages."""

    session_id: UUID
    mark: UUID
    messages: Sequence[Message]

    @property
    def message_ids(self) -> list[UUID]:
        return [message.message_id for message in self.messages]


@dataclass
class _Outcome:
    """The summaries by session; `failed` are sessions with a failed call of their own, `faults` why calls failed."""

    summaries: dict[UUID, SummarisedSession] = field(default_factory=dict)
    failed: list[UUID] = field(default_factory=list)
    faults: list[BadAnswer | InputRefused] = field(default_factory=list)


def check(answer: ShortSessions | SessionsWithScenes, refs: Sequence[str]) -> None:
    """Check that an answer has exactly one valid summary for each conversation ref.

    Raises:
        BadAnswer: A conversation has no summary or several, or a summary breaks the rules of `session_summary.check`.
    """
    faults = []
    times = Counter(summary.conversation for summary in answer.summaries)
    if times != Counter(refs):
        faults.append(f"`summaries` must have one item for each of the conversations {', '.join(refs)}, and no other.")
    valid = []
    for summary in answer.summaries:
        if times[summary.conversation] > 1 or summary.conversation not in refs:
            continue
        try:
            session_summary.check(summary)
        except BadAnswer as bad:
            faults.append(f"Conversation {summary.conversation}: {bad}")
        else:
            valid.append(summary)
    if faults:
        raise BadAnswer(" ".join(faults), valid=answer.model_copy(update={"summaries": valid}) if valid else None)


class _Joining(ModelWork[_Outcome]):
    """Summarises up to 20 queued short sessions of a Being, and draws scenes from their new messages.

    After a fault of the provider, or if no session could be summarised, they stay queued.
    """

    shorts: Sequence[_ShortSession]
    worded: Sequence[_ShortSession]
    drawings: Mapping[UUID, SceneDrawing]
    intake: scene_drawing.SceneIntake

    def read(self, tx: Transaction, open_session: OpenSession) -> Asking[_Outcome]:
        being_id, until = self.claim.owner_id, self.claim.as_of
        queued = session_summaries.queued_short(tx, being_id, until=until, limit=SHORT_SESSIONS_AT_ONCE)
        self.shorts = [
            _ShortSession(session_id, mark, messages.of_session(tx, being_id, session_id, until=until, sure=True))
            for session_id, mark in queued
        ]
        spoken = {short.session_id: short.messages for short in self.shorts}
        own_texts = context_provenance.own_texts(tx, being_id, list(chain.from_iterable(spoken.values())))
        being = beings.get_being(tx, being_id)
        self.drawings = scene_drawing.prepare(tx, self.settings, being, spoken, own_texts, until)
        self.worded = [short for short in self.shorts if any(own_texts[id_].strip() for id_ in short.message_ids)]
        self.intake = scene_drawing.SceneIntake(self.settings, being_id)
        if not self.worded:
            return None
        llm = open_session()
        if isinstance(llm, LlmUnavailable):
            return llm
        about = tagged("companion", being.name)
        return partial(_summarise_jointly, llm, about, self.worded, self.drawings)

    def lock_intake(self, tx: Transaction) -> None:
        self.intake.lock(tx)

    def lock(self, tx: Transaction) -> None:
        rolling.lock(tx, self.claim.owner_id)
        message_ids = [message_id for short in self.shorts for message_id in short.message_ids]
        messages.keep_from_erasure(tx, self.claim.owner_id, message_ids)

    def keep(self, tx: Transaction, answer: _Outcome | None) -> None:
        being_id, outcome = self.claim.owner_id, answer or _Outcome()
        empty = {short.session_id for short in self.shorts} - {short.session_id for short in self.worded}
        ended = empty | {*outcome.summaries} | {*outcome.failed}
        kept = _keep(tx, being_id, [short for short in self.shorts if short.session_id in ended], outcome)
        scene_drawing.keep(tx, self.intake, [self.drawings[session_id] for session_id in kept])
        session_summary.request_joint_if_due(tx, self.settings, being_id)
        session_summary.request_due(tx, being_id)

    def wait(self, tx: Transaction, _: LlmUnavailable) -> None:
        """Make the queued sessions due again; the Being's summaries are requested once its user has a usable key."""
        rolling.wait_for_key(tx, self.claim.owner_id, waits=True)
        session_summaries.make_short_due(tx, self.claim.owner_id)


summarise = _Joining.do


def _summarise_jointly(
    llm: LlmSession,
    about: str,
    shorts: Sequence[_ShortSession],
    drawings: Mapping[UUID, SceneDrawing],
) -> _Outcome:
    """Summarise sessions in one call; a call that fails is divided, down to single sessions.

    Raises:
        BadAnswer, InputRefused: No session could be summarised.
    """
    outcome = _Outcome()

    def take(group: Sequence[_ShortSession], divisible: bool) -> None:
        by_ref = {f"c{number}": short for number, short in enumerate(group, 1)}
        summaries = _ask(llm, about, by_ref, drawings, divisible=divisible)
        outcome.summaries |= {by_ref[ref].session_id: summary for ref, summary in summaries.items()}
        outcome.failed += [short.session_id for ref, short in by_ref.items() if ref not in summaries]

    left = ask_in_turn([shorts], take, halves)
    outcome.faults = [fault for _, fault in left]
    # Sessions that were not asked about stay queued.
    outcome.failed += [group[0].session_id for group, _ in left if len(group) == 1]
    if not outcome.summaries:
        raise outcome.faults[-1]
    return outcome


def _ask(
    llm: LlmSession,
    about: str,
    by_ref: Mapping[str, _ShortSession],
    drawings: Mapping[UUID, SceneDrawing],
    *,
    divisible: bool,
) -> dict[str, SummarisedSession]:
    """Ask for the summary of each session by its ref, and for a scene of those that have messages to draw from."""
    wanted = {ref: min(1, drawings[short.session_id].wanted(short.messages)) for ref, short in by_ref.items()}
    drawable = [drawings[short.session_id].of(short.messages) for ref, short in by_ref.items() if wanted[ref]]
    to_draw = {message.message_id: f"m{place}" for place, message in enumerate(chain.from_iterable(drawable), start=1)}
    own = refs_of_own(chain.from_iterable(short.messages for short in by_ref.values()))

    def spoken(short: _ShortSession) -> str:
        return transcript(short.messages, drawings[short.session_id].own_texts, to_draw, own)

    material = "\n".join(
        f'<conversation ref="{ref}">\n{spoken(short)}\n</conversation>' for ref, short in by_ref.items()
    )
    complete = partial(check, refs=list(by_ref))
    if not to_draw:
        question = replace(CLOSE_SHORT.question(about, material), divisible=divisible)
        answer = llm.ask(question, complete).answer
        return _grounded(llm, answer.summaries, by_ref, own, drawings)
    wanted_and_material = f"{session_summary.scenes_wanted(sum(wanted.values()))}\n{material}"
    drawn = llm.ask(
        replace(CLOSE_SHORT_AND_DRAW.question(about, wanted_and_material), divisible=divisible), complete
    ).answer
    for summary in drawn.summaries:
        if wanted[summary.conversation]:
            short = by_ref[summary.conversation]
            drawing = drawings[short.session_id]
            shown = {to_draw[message.message_id]: message for message in drawing.of(short.messages)}
            drawing.take(summary.scenes, shown, wanted[summary.conversation])
    return _grounded(llm, drawn.summaries, by_ref, own, drawings)


def _grounded(
    llm: LlmSession,
    answers: Sequence[ShortSession | ShortWithScenes],
    by_ref: Mapping[str, _ShortSession],
    own: Mapping[UUID, str],
    drawings: Mapping[UUID, SceneDrawing],
) -> dict[str, SummarisedSession]:
    """Return the summaries by the refs of their sessions, without ungrounded ones."""
    kept: dict[str, SummarisedSession] = {}
    for answer in answers:
        short = by_ref[answer.conversation]
        drawing = drawings[short.session_id]
        with suppress(BadAnswer):
            summary = grounded(llm, answer.alone(), None, short.messages, drawing.own_texts, drawing.setting)
            found = Impressions(drawing.own_texts, drawing.setting)
            found.take(answer, short.messages, own)
            llm.count_dropped("summaries", found.dropped)
            kept[answer.conversation] = SummarisedSession(summary, found.kept)
    return kept


def _keep(tx: Transaction, being_id: UUID, done: Sequence[_ShortSession], outcome: _Outcome) -> list[UUID]:
    """Keep the summaries of sessions that still have the mark under which they were read; returns these sessions."""
    unchanged = session_summaries.dequeue_short(
        tx,
        being_id,
        [
            (short.session_id, short.mark)
            for short in done
            if messages.keep_from_erasure(tx, being_id, short.message_ids)
        ],
    )
    for short in done:
        if short.session_id not in unchanged:
            continue
        if short.session_id in outcome.summaries:
            outcome.summaries[short.session_id].keep(tx, being_id, short.session_id, short.messages)
        elif short.session_id in outcome.failed:
            session_summaries.exclude_from_joint(tx, being_id, short.session_id)
            work.ask(tx, being_id, kinds.SESSION_SUMMARY, str(short.session_id))
    return sorted(unchanged & outcome.summaries.keys())
