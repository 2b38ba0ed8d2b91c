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


def sweep(on: Resources) -> None:
    """Send a message for every due row of the ledger that no worker holds, and start the patrols among them."""
    periodic.sweep(on.store, on.settings, queued(app))


def embed_waiting(on: Resources) -> None:
    """Give what was said lately its vectors."""
    embedding.embed_waiting(on.store, on.embedders, on.settings.lease)


def clean_streams(on: Resources, claim: Claim) -> None:
    """Remove erased items from the producers' Redis streams."""
    erased = partial(erased_among, on.store, on.settings, claim.owner_id)
    try:
        with open_redis(addresses(on.settings).redis_url) as redis:
            removed = cleaning.clean(redis, claim.owner_id, erased, on.store.run(rooms.ids_beside, claim.owner_id))
    except RedisError as fault:
        raise Unavailable(f"Redis is out of reach ({type(fault).__name__}).") from fault
    with on.store.finishing(claim):
        log.info("streams.cleaned", removed=removed)


tick(kinds.SWEEP, sweep)
# Patrols of Beings whose last tick is PATROL_TICK or more ago, or whose provider is back.
tick(kinds.TICKS, demand.ask_for_ticks, demand.begin_owed)
tick(kinds.IDLE_SESSIONS, periodic.end_idle_sessions)
tick(kinds.RETENTION, periodic.expire)
tick(
    kinds.EMBEDDERS,
    reembedding.request_reembedding,
    vectors.request_reembedding,
    embedding.ask_for_other_models,
)
tick(kinds.UNEMBEDDED_TOLD, embed_waiting)
tick(kinds.DUE, webhook_delivery.notice)
tick(kinds.VECTOR_INDEXES, vector_indexes.ask_for_indexes)
step(kinds.INDEX_VECTORS, vector_indexes.build)
step(kinds.REEMBED, reembedding.reembed)
step(kinds.EMBED_FACTS, vectors.embed)
step(kinds.CURATE, curator.curate)
step(kinds.COMPARE_SEEDS, seed_comparison.compare_seeds)
step(kinds.SPINE, spine.write)
step(kinds.ACTIVATE, activation.activate_kept)
step(kinds.EMBED_TOLD, embedding.embed)
step(kinds.DATE_TOLD, dating.date_told)
step(kinds.CLEAN_STREAMS, clean_streams)
