"""Dates facts and todos from before times were stored: each gets the time that its words name.

A unit of work for each Being, which the migration that introduced it requests. After a kill, items that name no time
are read again.
"""

from collections.abc import Callable, Iterator
from functools import partial
from uuid import UUID

from memory.grounding import setting
from memory.grounding.setting import Setting
from schemas.ledger.work import Claim
from store.accounts import beings
from store.database import Store
from store.facts import dating, facts
from store.facts.dating import EvidenceTime, UndatedEvidence

AT_ONCE = 200
Read = Callable[..., list[UndatedEvidence]]


def date_undated(store: Store, claim: Claim) -> None:
    """Date a Being's facts and todos that have no time.

    Raises:
        LeaseLost: Another worker does it; the times set until then stay.
    """
    with store.transaction() as tx:
        being = beings.get_being(tx, claim.owner_id)
        whose = setting.of_being(tx, being)
    being_id, user_id = being.being_id, being.user_id
    date_facts = partial(dating.date_facts, user_id=user_id)
    for read, date, ahead in (dating.of_facts, date_facts, None), (dating.of_todos, dating.date_todos, True):
        for dated in _dated(store, being_id, read, whose, ahead=ahead):
            with store.transaction() as tx:
                facts.lock(tx, user_id)
                date(tx, being_id, dated)
    with store.finishing(claim):
        pass


def _dated(
    store: Store, being_id: UUID, read: Read, whose: Setting, *, ahead: bool | None
) -> Iterator[list[EvidenceTime]]:
    """The times of all evidence that names one, page by page."""
    place = None
    while True:
        page = store.run(read, being_id, after=place, limit=AT_ONCE)
        if not page:
            return
        place = page[-1].place
        times = [(one.place, whose.time_of(one.words, one.said_at, text=one.text, ahead=ahead)) for one in page]
        if dated := [EvidenceTime(found, time.starts_at, time.ends_at) for found, time in times if time]:
            yield dated
