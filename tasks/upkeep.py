"""Tasks of the queue `upkeep`: periodic tasks that beat sends, and slow work. Any number of beats may run."""

from collections.abc import Sequence

import structlog
from redis.exceptions import RedisError

from memory.due import webhook_delivery as due_items
from memory.facts import curator, seed_comparison, vectors
from memory.intake.erased_entries import StreamItem, erased_among
from memory.nodes import activation, reembedding
from memory.patrol import demand
from memory.search import embedding, vector_indexes
from memory.talk import spine as spines
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


@tick(kinds.SWEEP)
def sweep(on: Resources) -> None:
    """Send a message for every due row of the ledger that no worker holds, and start the patrols among them."""
    periodic.sweep(on.store, on.settings, queued(app))


@tick(kinds.TICKS)
def ticks(on: Resources) -> None:
    """Enqueue patrols of Beings whose last tick is PATROL_TICK or more ago, or whose provider is back."""
    demand.ask_for_ticks(on.store, on.settings)
    demand.begin_owed(on.store, on.settings)


@tick(kinds.IDLE_SESSIONS)
def idle_sessions(on: Resources) -> None:
    """Close sessions that have been idle for 30 minutes."""
    periodic.end_idle_sessions(on.store, on.settings)


@tick(kinds.RETENTION)
def retention(on: Resources) -> None:
    """Remove finished work, stored responses and receipts that are older than the settings say."""
    periodic.expire(on.store, on.settings)


@tick(kinds.EMBEDDERS)
def embedders(on: Resources) -> None:
    """Enqueue the re-embedding of Beings, and of users' facts, whose embedder has changed."""
    reembedding.request_reembedding(on.store, on.embedders)
    vectors.request_reembedding(on.store, on.embedders)
    embedding.ask_for_other_models(on.store, on.embedders)


@tick(kinds.UNEMBEDDED_TOLD)
def unembedded(on: Resources) -> None:
    """Give what was said lately its vectors."""
    embedding.embed_waiting(on.store, on.embedders, on.settings.lease)


@tick(kinds.DUE)
def due(on: Resources) -> None:
    """Notice what has come due, and request its delivery to webhooks."""
    due_items.notice(on.store)


@tick(kinds.VECTOR_INDEXES)
def vector_indexes_wanted(on: Resources) -> None:
    """Enqueue the building of very large Beings' own indexes, and remove those that nothing needs any more."""
    vector_indexes.ask_for_indexes(on.store, on.settings)


@step(kinds.INDEX_VECTORS)
def index_vectors(on: Resources, claim: Claim) -> None:
    """Build the indexes of a very large Being."""
    vector_indexes.build(on.store, on.settings, claim)


@step(kinds.REEMBED)
def reembed(on: Resources, claim: Claim) -> None:
    """Re-embed a Being's nodes with the configured model."""
    reembedding.reembed(on.store, on.embedders, claim)


@step(kinds.EMBED_FACTS)
def embed_facts(on: Resources, claim: Claim) -> None:
    """Embed a user's facts."""
    vectors.embed(on.store, on.embedders, on.settings, claim)


@step(kinds.CURATE)
def curate(on: Resources, claim: Claim) -> None:
    """Fold a user's near-duplicate facts into one."""
    curator.curate(on.store, on.thinkers, on.settings, claim)


@step(kinds.COMPARE_SEEDS)
def compare_seeds(on: Resources, claim: Claim) -> None:
    """Compare a user's seeds with what was known under their keys."""
    seed_comparison.compare_seeds(on.store, on.thinkers, on.settings, claim)


@step(kinds.SPINE)
def spine(on: Resources, claim: Claim) -> None:
    """Write the next version of one of a user's spines, the summaries over all sessions."""
    spines.write(on.store, on.thinkers, on.settings, claim)


@step(kinds.ACTIVATE)
def activate(on: Resources, claim: Claim) -> None:
    """Record the activation of nodes that a recall found while another transaction held their Being."""
    activation.activate_kept(on.store, claim)


@step(kinds.EMBED_TOLD)
def embed_told(on: Resources, claim: Claim) -> None:
    """Give what was said its vectors."""
    embedding.embed(on.store, on.embedders, claim)


@step(kinds.DATE_TOLD)
def date_told(on: Resources, claim: Claim) -> None:
    """Date a Being's facts and todos that were told before times were kept."""
    dating.date_told(on.store, claim)


@step(kinds.CLEAN_STREAMS)
def clean_streams(on: Resources, claim: Claim) -> None:
    """Remove erased items from the producers' Redis streams."""

    def erased(found: Sequence[cleaning.Found]) -> set[int]:
        items = [StreamItem(one.what, one.item, one.known_by) for one in found]
        return erased_among(on.store, on.settings, claim.owner_id, items)

    try:
        with open_redis(addresses(on.settings).redis_url) as redis:
            removed = cleaning.clean(redis, claim.owner_id, erased, on.store.run(rooms.ids_beside, claim.owner_id))
    except RedisError as fault:
        raise Unavailable(f"Redis is out of reach ({type(fault).__name__}).") from fault
    with on.store.finishing(claim):
        log.info("streams.cleaned", removed=removed)
