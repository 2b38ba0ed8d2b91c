"""The spine: the long line of all that a user has told, whomever of their Beings, rewritten with every 20 messages.

It is made of the user's own words that a judge has heard, and of none that were said in confidence. What was taken in
is a mark on each message.
"""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

import structlog

from memory import receipts
from memory.prompting import prompt
from memory.summarising import Summed, check_lines, summed_up
from memory.thinking import NoMind, mind_for
from providers.thinkers import Thinkers
from schemas.limits import SPINE_EVERY, SPINE_ITEMS
from schemas.rows import Message
from schemas.settings import Settings
from schemas.summaries import SummarySpine
from schemas.work import Claim, Ring
from store import facts, messages, spines, work
from store.database import Store
from store.spines import Heard
from store.transaction import Transaction

log = structlog.get_logger()

KIND = "upkeep.spine"
QUEUE = "upkeep"
MESSAGES_AT_ONCE = 100
SPINE = prompt("spine", SummarySpine, size="large", most_tokens=4_000)


def ask(tx: Transaction, user_id: UUID) -> list[Ring]:
    """Ask for a new version where enough was said since the last."""
    return work.ask(tx, user_id, KIND, "", QUEUE) if spines.due(tx, user_id, every=SPINE_EVERY) else []


def check(answer: SummarySpine) -> None:
    """Hold a spine against its measure.

    Raises:
        BadAnswer: A section has too many items, or one is too long.
    """
    for name, lines in answer.model_dump().items():
        check_lines(name, lines, SPINE_ITEMS)


def write(store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> list[Ring]:
    """Write a new version of a user's spine, if enough was said; returns what to ring for.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `Mind.ask`; nothing is marked, what was said is kept.
    """
    user_id = claim.owner_id
    hold = partial(facts.hold, user_id=user_id)
    with store.transaction() as tx:
        new = spines.unspun(tx, user_id, until=claim.as_of, limit=MESSAGES_AT_ONCE)
        newest = spines.newest(tx, user_id)
        own = {
            message_id: text
            for being_id in {heard.being_id for heard in new}
            for message_id, text in receipts.heard(tx, being_id, _shared(new, being_id)).items()
        }
    if len(new) < SPINE_EVERY:
        with store.finishing(claim, first=hold) as tx:
            return ask(tx, user_id)
    result = Summed(newest.content if newest else None)
    said = [heard.message for heard in new if heard.shared]
    if said:
        mind = mind_for(store, thinkers, settings, claim)
        if isinstance(mind, NoMind):
            return _without_a_mind(store, claim, mind)
        result = summed_up(mind, SPINE, "", result.summary, said, own, check)
    with store.finishing(claim, first=hold) as tx:
        # What it went on from may have been erased as well, with words that were in it.
        if spines.newest(tx, user_id) == newest and _still_there(tx, new):
            told = result.summary if result.told else None
            spines.keep(tx, user_id, [heard.message.message_id for heard in new], told)
        return ask(tx, user_id)


def _shared(new: Sequence[Heard], being_id: UUID) -> list[Message]:
    return [heard.message for heard in new if heard.shared and heard.being_id == being_id]


def _still_there(tx: Transaction, new: Sequence[Heard]) -> bool:
    """Whether all of it is still there, by Being."""
    return all(
        messages.keep_from_erasure(
            tx, being_id, [heard.message.message_id for heard in new if heard.being_id == being_id]
        )
        for being_id in sorted({heard.being_id for heard in new})
    )


def _without_a_mind(store: Store, claim: Claim, mind: NoMind) -> list[Ring]:
    """Leave everything as it is; the first key that comes wakes the user's spine."""
    with store.finishing(claim, first=partial(facts.hold, user_id=claim.owner_id)) as tx:
        spines.wait_for_key(tx, claim.owner_id, waits=True)
    log.info("spine.waits_for_key", reason=mind.logged, user_id=str(claim.owner_id))
    return []
