"""Scenes drawn from closed sessions, in the model call that summarises them.

Scenes are drawn from messages that have no mark yet. The marks, the scene notes and the summary are kept in one
transaction, so that each message is drawn from once. How many scenes a question asks for, and of which messages,
depends on the state at the work's first claim alone, so that a repetition after a kill finds the stored response.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from uuid import UUID

import structlog

from memory.erased import known_erased
from memory.erased.known_erased import Recognition
from memory.grounding import setting
from memory.grounding.setting import Setting
from memory.patrol.demand import request_patrol
from memory.talk.scene_rules import RestingScene, SceneRuleBroken, check
from memory.text.time_expressions.resolution import named_zone
from schemas.accounts.accounts import Being
from schemas.limits import SESSION_SCENES
from schemas.settings import Settings
from schemas.talk.messages import Message
from schemas.talk.scenes import DrawnScene
from store.intake import notes
from store.intake.notes import NewNote
from store.llm import drops
from store.talk import scenes
from store.transaction import Transaction, new_ids

log = structlog.get_logger()


@dataclass
class SceneDrawing:
    """The drawing of one session's scenes.

    Attributes:
        zone: The user's time zone.
        own_texts: The texts of messages with the words of contexts blanked.
        setting: The talk's user, time zone and language, for the grounding of scenes and summaries.
        room: How many scenes the session may still get.
        undrawn: The messages that no scene was asked for yet, and that have words of their own.
        drawn: The scenes that passed the rules.
        shown_ids: The messages of valid answers.
        dropped: The counts of dropped scenes by reason.
    """

    zone: tzinfo
    own_texts: Mapping[UUID, str]
    setting: Setting
    room: int = 0
    undrawn: set[UUID] = field(default_factory=set)
    drawn: list[RestingScene] = field(default_factory=list)
    shown_ids: list[UUID] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    def of(self, messages: Sequence[Message]) -> list[Message]:
        """Return the messages to draw from among these."""
        return [message for message in messages if message.message_id in self.undrawn]

    def wanted(self, messages: Sequence[Message]) -> int:
        """How many scenes to ask for of some messages: their share of the room, so that some is left for later ones.

        Returns:
            0 if there is no room, or no message to draw from.
        """
        new = len(self.of(messages))
        return min(self.room, max(1, round(self.room * new / len(self.undrawn)))) if new else 0

    def take(self, found: Sequence[DrawnScene], shown: Mapping[str, Message], wanted: int) -> None:
        """Take the scenes of a valid answer.

        Args:
            found: The scenes.
            shown: The messages to draw from that were shown, by their refs.
            wanted: How many scenes were asked for; the others are dropped.
        """
        shown_texts = "\n".join(self.own_texts[message.message_id] for message in shown.values())
        passed = list[RestingScene]()
        for scene in found:
            try:
                passed.append(check(scene, shown, self.own_texts, shown_texts, self.zone, self.setting))
            except SceneRuleBroken as reason:
                self.dropped[str(reason)] += 1
        self.dropped["too many"] += len(passed[wanted:])
        self.drawn += passed[:wanted]
        self.room -= len(passed[:wanted])
        self.shown_ids += (message.message_id for message in shown.values())
        self.undrawn.difference_update(message.message_id for message in shown.values())


def prepare(
    tx: Transaction,
    settings: Settings,
    being: Being,
    sessions: Mapping[UUID, Sequence[Message]],
    own_texts: Mapping[UUID, str],
    until: datetime,
) -> dict[UUID, SceneDrawing]:
    """Prepare the drawing of each session's scenes.

    Args:
        settings: Whether to draw scenes at all.
        being: The Being, which may have a choice of its own.
        sessions: The messages of each session.
        own_texts: Their texts with the words of contexts blanked.
        until: The work's first claim; a producer's later scene notes do not count.

    Returns:
        For each session its drawing, in which there is no room if no scenes are to be drawn.
    """
    whose = setting.of_being(tx, being)
    zone = named_zone(whose.zone)
    mode = being.scenes or settings.scenes
    of = [] if mode == "off" else list(sessions)
    covered = scenes.overlapping(tx, being.being_id, of, until=until) if mode == "auto" else set[UUID]()
    there = scenes.count(tx, being.being_id, of)
    drawings = {session_id: SceneDrawing(zone, own_texts, whose) for session_id in sessions}
    for session_id in set(of) - covered:
        drawings[session_id].room = max(0, SESSION_SCENES - there.get(session_id, 0))
        drawings[session_id].undrawn = {
            message.message_id
            for message in sessions[session_id]
            if not message.drawn and own_texts[message.message_id].strip()
        }
    return drawings


@dataclass
class SceneIntake:
    """The first lock of a transaction that keeps scenes: it blocks erasures of the Being's items until the end.

    Attributes:
        settings: The secrets that decrypt the key of the digests of erased items.
        erased: Recognises erased items, once the lock is held; None if nothing was erased.
    """

    settings: Settings
    being_id: UUID
    erased: Recognition | None = None

    def lock(self, tx: Transaction) -> None:
        """Take the lock.

        Raises:
            SecretMissing: No secret decrypts the key.
        """
        self.erased = known_erased.for_intake(tx, self.settings, self.being_id)


def keep(
    tx: Transaction, intake: SceneIntake, drawings: Sequence[SceneDrawing], request_key_id: UUID | None = None
) -> None:
    """Insert the scene notes and mark the messages.

    Args:
        tx: The transaction that keeps the summaries; it has locked the messages.
        intake: The lock that it holds on the Being's intake.
        drawings: The drawings of sessions with all of their messages still there.
        request_key_id: The key that paid, if it came with the messages: it pays for patrols of the notes as well.
    """
    being_id = intake.being_id
    scenes.mark_drawn(tx, being_id, [message_id for drawing in drawings for message_id in drawing.shown_ids])
    drawn = _not_erased(tx, intake.erased, [scene for drawing in drawings for scene in drawing.drawn])
    dropped = sum((drawing.dropped for drawing in drawings), Counter[str]())
    if drawn:
        ids = new_ids(tx, len(drawn))
        tx.request_key_id = request_key_id
        notes.insert(tx, being_id, [_note(one, id_) for one, id_ in zip(drawn, ids, strict=True)])
        tx.request_key_id = None
        scenes.keep(tx, being_id, {id_: one.message_ids for one, id_ in zip(drawn, ids, strict=True)})
        request_patrol(tx, intake.settings, being_id)
    drops.count(tx, being_id, "scenes", dropped)
    if drawn or dropped:
        log.info("scenes.drawn", being_id=str(being_id), scenes=len(drawn), dropped=dict(+dropped))


def _not_erased(tx: Transaction, erased: Recognition | None, drawn: Sequence[RestingScene]) -> Sequence[RestingScene]:
    """Leave out scenes with content that a person has erased."""
    if erased is None:
        return drawn
    digests = {place: erased.of_note(None, _content(one)) for place, one in enumerate(drawn)}
    again = erased.among(tx, digests)
    return [one for place, one in enumerate(drawn) if place not in again]


def _note(one: RestingScene, note_id: UUID) -> NewNote:
    content = _content(one)
    return NewNote(
        note_id=note_id,
        producer_id=None,
        type="scene",
        content=content,
        title=None,
        due_at=None,
        metadata={},
        content_hash=hashlib.sha256(json.dumps(content, ensure_ascii=False, sort_keys=True).encode()).digest(),
        origin="talk",
        ages_from=one.ages_from,
    )


def _content(one: RestingScene) -> dict[str, object]:
    return one.scene.model_dump(mode="json", exclude_defaults=True)
