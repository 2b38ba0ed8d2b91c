"""The curator: folds facts that say the same under different keys, and needs nobody to think for it.

Two facts say the same if their vectors are all but equal and they name the same numbers: years and amounts look alike
to an embedder, and are not.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from uuid import UUID

from schemas.facts import Fact
from schemas.limits import FOLD_SIMILARITY
from schemas.settings import Settings
from schemas.work import Claim, Ring
from store import curator, facts, work
from store.curator import Pair
from store.database import Store
from store.transaction import Transaction

KIND = "upkeep.curate"
LOOKED_AT_ONCE = 500
_NUMBER = re.compile(r"\d+")


def ask(tx: Transaction, settings: Settings, user_id: UUID) -> list[Ring]:
    """Ask for the curator where enough facts were added since it last ran."""
    enough = curator.added_since_run(tx, user_id) >= settings.curate_after
    return work.ask(tx, user_id, KIND, "", "upkeep") if enough else []


def curate(store: Store, claim: Claim) -> None:
    """Fold what was learnt since the last run with what says the same."""
    user_id = claim.owner_id
    with store.finishing(claim, first=partial(facts.hold, user_id=user_id)) as tx:
        pairs = curator.alike(tx, user_id, similarity=FOLD_SIMILARITY, limit=LOOKED_AT_ONCE)
        known = curator.read(tx, user_id, [fact_id for pair in pairs for fact_id in (pair.one, pair.other)])
        for group in groups(pairs, known):
            curator.fold(tx, user_id, group)
        curator.ran(tx, user_id)


def groups(pairs: Sequence[Pair], known: Mapping[UUID, Fact]) -> list[list[UUID]]:
    """Put facts together that say the same as one of their group, the one told most (then first learnt) in front."""
    group_of: dict[UUID, set[UUID]] = {}
    for pair in pairs:
        if _numbers(known[pair.one]) != _numbers(known[pair.other]):
            continue
        # Alike is no chain: a group is what is like its first member.
        group = group_of.setdefault(pair.one, {pair.one})
        if pair.other not in group_of:
            group.add(pair.other)
            group_of[pair.other] = group
    distinct = {id(group): group for group in group_of.values() if len(group) > 1}
    return [
        sorted(group, key=lambda fact_id: (-known[fact_id].mentions, known[fact_id].created_at, fact_id))
        for group in distinct.values()
    ]


def _numbers(fact: Fact) -> list[str]:
    return sorted(_NUMBER.findall(fact.content))
