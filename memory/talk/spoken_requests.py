"""Undoes what users asked in talk of their memory."""

from uuid import UUID

from memory.facts import vectors
from memory.talk import muting
from memory.talk.judging import request_judging
from schemas.accounts.accounts import Being
from schemas.facts.fact_rows import SpokenRequest
from schemas.settings import Settings
from store.accounts import users
from store.database import Store
from store.facts import facts, spoken_requests
from store.talk import rolling as session_states


def undo(store: Store, settings: Settings, being: Being, request_id: UUID) -> SpokenRequest:
    """Undo one, for good: judging its message again does not repeat it.

    Raises:
        NotFound: Nothing of that id was done.
    """
    with store.transaction() as tx:
        # What was muted may be told again by each of the user's Beings.
        users.hold_alone(tx, being.user_id)
        session_states.lock(tx, being.being_id)
        facts.lock(tx, being.user_id)
        undone, sessions = spoken_requests.undo(tx, being.being_id, request_id)
        request_judging(tx, settings, being.being_id, sessions)
        if undone.effect == "muted":
            muting.derive_again(tx, settings, being.user_id)
        vectors.request_embedding(tx, being.user_id)
        return undone
