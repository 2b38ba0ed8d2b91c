"""Tasks of the queue `upkeep`: periodic tasks that beat sends, and slow work. Any number of beats may run."""

from functools import partial

import structlog
from redis.exceptions import RedisError

from memory.due import webhook_delivery
from memory.facts import curator, seed_comparison, vectors
from memory.intake.erased_entries import erased_among
from memory.nodes import activation, reembedding
from memory.patrol import demand
from memory.search import embedding, vector_indexes
from memory.talk import spine
from memory.upkeep import dating, periodic
from schemas.errors import Unavailable
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from store.talk import rooms
from workers.runtime.addresses import addresses
from workers.runtime.app import app
from workers.runtime.dispatch import queued
from workers.runtime.redis_client import open_redis
from workers.runtime.resources import Resources
from workers.runtime.step import step, tick
from workers.streams import cleaning

log = structlog.get_logger()


def clean_streams(on: Resources, claim: Claim) -> None:
    """Remove erased items from the producers' Redis streams."""
    erased = partial(erased_among, on.store, on.settings, claim.owner_id)
    try:
        with open_redis(addresses(on.settings).redis_url) as redis:
            removed = cleaning.clean(
                redis, claim.owner_id, erased, on.store.run(rooms.ids_of_beings_user, claim.owner_id)
            )
    except RedisError as fault:
        raise Unavailable(f"Redis is out of reach ({type(fault).__name__}).") from fault
    with on.store.finishing(claim):
        log.info("streams.cleaned", removed=removed)


tick(kinds.SWEEP, lambda on: periodic.sweep(on.store, on.settings, queued(app)))
tick(
    kinds.TICKS,
    lambda on: demand.ask_for_ticks(on.store, on.settings),
    lambda on: demand.begin_owed(on.store, on.settings),
)
tick(kinds.IDLE_SESSIONS, lambda on: periodic.end_idle_sessions(on.store, on.settings))
tick(kinds.RETENTION, lambda on: periodic.expire(on.store, on.settings))
tick(
    kinds.EMBEDDERS,
    lambda on: reembedding.request_reembedding(on.store, on.embedders),
    lambda on: vectors.request_reembedding(on.store, on.embedders),
    lambda on: embedding.ask_for_other_models(on.store, on.embedders),
)
tick(kinds.UNEMBEDDED_TOLD, lambda on: embedding.embed_waiting(on.store, on.embedders, on.settings.lease))
tick(kinds.DUE, lambda on: webhook_delivery.notice(on.store))
tick(kinds.VECTOR_INDEXES, lambda on: vector_indexes.ask_for_indexes(on.store, on.settings))
step(kinds.INDEX_VECTORS, lambda on, claim: vector_indexes.build(on.store, on.settings, claim))
step(kinds.REEMBED, lambda on, claim: reembedding.reembed(on.store, on.embedders, claim))
step(kinds.EMBED_FACTS, lambda on, claim: vectors.embed(on.store, on.embedders, on.settings, claim))
step(kinds.CURATE, lambda on, claim: curator.curate(on.store, on.thinkers, on.settings, claim))
step(kinds.COMPARE_SEEDS, lambda on, claim: seed_comparison.compare_seeds(on.store, on.thinkers, on.settings, claim))
step(kinds.SPINE, lambda on, claim: spine.write(on.store, on.thinkers, on.settings, claim))
step(kinds.ACTIVATE, lambda on, claim: activation.activate_kept(on.store, claim))
step(kinds.EMBED_TOLD, lambda on, claim: embedding.embed(on.store, on.embedders, claim))
step(kinds.DATE_TOLD, lambda on, claim: dating.date_undated(on.store, claim))
step(kinds.CLEAN_STREAMS, clean_streams)
