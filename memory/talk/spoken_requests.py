"""Use cases of what users asked in talk of their memory: list, undo."""

from uuid import UUID

from memory.facts import vectors
from memory.talk import muting
from memory.talk.judging import request_judging
from memory.text.pages import cut_page, parse_cursor
from schemas.accounts.accounts import Being
from schemas.facts.fact_answers import SpokenRequestPage
from schemas.facts.fact_rows import SpokenRequest
from schemas.settings import Settings
from store.accounts import users
from store.database import Store
from store.facts import facts, spoken_requests
from store.talk import rolling as session_states


def page(store: Store, being: Being, *, muted: bool = True, cursor: str | None, limit: int) -> SpokenRequestPage:
    """A page of what was done, newest first; for requests in muted messages with `muted`.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    before = parse_cursor(cursor, UUID)
    with store.transaction() as tx:
        found = spoken_requests.page(tx, being.being_id, muted=muted, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda one: one.request_id)
    return SpokenRequestPage(requests=shown, cursor=end)


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
