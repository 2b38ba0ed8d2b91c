"""Upkeep of the indexes of very large Beings: built in the background, rebuilt after a kill, dropped with the Being."""

import structlog

from schemas.ledger.kinds import INDEX_VECTORS
from schemas.ledger.work import Claim
from schemas.settings import Settings
from store.database import Store
from store.ledger import work
from store.search import vector_indexes

log = structlog.get_logger()

# An index is kept until its owner has this share of the rows that one is built for: none is built and dropped in turn.
KEPT_FROM = 0.5


def ask_for_indexes(store: Store, settings: Settings) -> None:
    """Queue the building of missing and half-built indexes, and drop those of owners that are gone or small.

    It takes a session of the role that owns the tables: that of PATROL_DIRECT_URL, or of a DATABASE_URL without pooler.
    """
    with store.transaction() as tx:
        if not (store.has_direct_url or (store.has_sessions and vector_indexes.may_build(tx))):
            if vector_indexes.required(tx, settings.vector_index_from):
                remedy = "set PATROL_DIRECT_URL to the database without a pooler, as the tables' owner"
                log.warning("vector_index.not_built", remedy=remedy)
            return
        standing = vector_indexes.existing(tx)
        busy = vector_indexes.at_work(tx)
        for index in vector_indexes.required(tx, settings.vector_index_from):
            if not standing.get(index.name) and index.owner_id not in busy:
                work.ask(tx, index.owner_id, INDEX_VECTORS)
        kept = {one.name for one in vector_indexes.required(tx, max(1, int(KEPT_FROM * settings.vector_index_from)))}
    for name in standing.keys() - kept:
        if vector_indexes.remove(store, name):
            log.info("vector_index.removed", index=name)


def build(store: Store, settings: Settings, claim: Claim) -> None:
    """Build an owner's missing indexes. The tick asks again for those that another build keeps from being built."""
    with store.transaction() as tx:
        standing = vector_indexes.existing(tx)
        missing = [
            one
            for one in vector_indexes.required(tx, settings.vector_index_from)
            if one.owner_id == claim.owner_id and not standing.get(one.name)
        ]
    for index in missing:
        if vector_indexes.build(store, index):
            log.info("vector_index.built", owner_id=str(claim.owner_id), index=index.name)
    with store.finishing(claim):
        pass
