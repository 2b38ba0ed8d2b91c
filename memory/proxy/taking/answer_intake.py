"""Intake of the answer to a transcript when it ended or broke off."""

from dataclasses import replace
from uuid import UUID

from memory.intake.retraction import restore_unless_erased
from memory.proxy.matching import unrecorded_turns
from memory.proxy.matching.alignment import known_conversation
from memory.proxy.reading.speakers import WireNames, divided
from memory.proxy.reading.transcript import Line
from memory.proxy.reading.turns import turn_of
from memory.proxy.taking.answer_place import AnswerPlace, continued
from memory.proxy.taking.changes import NewTurn
from memory.proxy.taking.storing import NO_ROOMMATES, Roommates, store_turns
from memory.talk import sharing
from memory.wrapping.written_calls import without_call
from schemas.accounts.accounts import Being
from schemas.settings import Settings
from schemas.text.reasoning import spoken
from store.database import Store
from store.talk import transcripts


def take_answer(
    store: Store,
    settings: Settings,
    being: Being,
    place: AnswerPlace,
    text: str,
    *,
    room: Roommates = NO_ROOMMATES,
) -> UUID | None:
    """Store the answer to a transcript when it ended or broke off.

    The same answer again changes nothing. Another one stands beside those that are known, until a transcript shows
    from which the talk goes on.

    Args:
        store: The ledger.
        settings: Thresholds of judging.
        being: The Being.
        place: The place that `take_transcript` returned.
        text: The text of the answer as far as it came, with or without reasoning; blank if none came.
        room: As for `take_transcript`.

    Returns:
        The message; None if nothing was said, it can't be stored, it is off the record, or the message that it answers
        was retracted meanwhile.

    Raises:
        IntakeFull, SecretMissing, Unavailable: As `take_transcript`.
    """
    line = Line("assistant", without_call(continued(place.begun, spoken(text, opened=place.opened))))
    # Some models write the speaker's name before the answer, which frontends take away.
    own = divided(line, WireNames([], [being.name, being.slug, *place.names]))
    turn = turn_of("assistant", None, "\n\n".join(line.text for line in own))
    if turn is None or not text.strip():
        return None
    if place.off_the_record:
        store.run(unrecorded_turns.remember, settings, being, place.conversation, [turn], ())
        return None
    turn = replace(turn, unsure=place.unsure)
    with store.transaction() as tx:
        erased = sharing.begin_intake(tx, settings, [being, *room.every])
        near = transcripts.messages_near(
            tx, being.being_id, place.conversation, {turn.digest}, newest=1, question_id=place.message_id
        )
        known = known_conversation(near)
        after = place.message_id
        if after is None:
            after = max(known.messages, default=None)
        elif after not in known.messages or not known.messages[after].stands:
            return None
        same = [one for one in known.after.get(after, ()) if one.digest == turn.digest]
        if any(one.stands for one in same):
            return next(one.message_id for one in same if one.stands)
        if same:
            again = [same[-1].message_id]
            stands = transcripts.held_elsewhere(tx, being.being_id, place.conversation, again)
            for one in [being, *room.every]:
                transcripts.set_abandoned(tx, one.being_id, place.conversation, again, abandoned=False)
                restored = restore_unless_erased(tx, settings, one, erased[one.being_id], again)
                stands |= set(restored.ids) if one is being else set()
            return next(iter(stands), None)
        return store_turns(
            tx, settings, being, place.conversation, [turn], [NewTurn(0, after)], known, room.present
        ).messages.get(0)
