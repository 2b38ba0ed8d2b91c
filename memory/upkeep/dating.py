"""Dates what was told before times were kept: each fact and todo gets the time that its words name.

A unit of work for each Being, which the migration that introduced it requests. A kill in between costs reading again
what names no time.
"""

from collections.abc import Callable, Iterator, Sequence

from memory.grounding import setting
from memory.grounding.setting import Setting
from schemas.ledger.work import Claim
from store.accounts import beings
from store.database import Store
from store.facts import dating, facts
from store.facts.dating import Dated, Place, Undated

AT_ONCE = 200
Read = Callable[[Place | None], Sequence[Undated]]


def date_told(store: Store, claim: Claim) -> None:
    """Date a Being's facts and todos that have no time.

    Raises:
        LeaseLost: Another worker does it; what was dated stays.
    """
    with store.transaction() as tx:
        being = beings.get_being(tx, claim.owner_id)
        whose = setting.of_being(tx, being)
    being_id, user_id = being.being_id, being.user_id

    def facts_after(place: Place | None) -> list[Undated]:
        with store.transaction() as tx:
            return dating.of_facts(tx, being_id, after=place, limit=AT_ONCE)

    def todos_after(place: Place | None) -> list[Undated]:
        with store.transaction() as tx:
            return dating.of_todos(tx, being_id, after=place, limit=AT_ONCE)

    for dated in _dated(facts_after, whose, ahead=None):
        with store.transaction() as tx:
            facts.lock(tx, user_id)
            dating.date_facts(tx, user_id, being_id, dated)
    for dated in _dated(todos_after, whose, ahead=True):
        with store.transaction() as tx:
            facts.lock(tx, user_id)
            dating.date_todos(tx, being_id, dated)
    with store.finishing(claim):
        pass


def _dated(read: Read, whose: Setting, *, ahead: bool | None) -> Iterator[list[Dated]]:
    """The times of all evidence that names one, page by page."""
    place = None
    while page := read(place):
        place = page[-1].place
        times = [(one.place, whose.time_of(one.words, one.said_at, text=one.text, ahead=ahead)) for one in page]
        if dated := [Dated(found, time.starts_at, time.ends_at) for found, time in times if time]:
            yield dated
