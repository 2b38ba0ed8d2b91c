"""Re-embeds a Being with another model in the background; the old vectors serve until the new ones are complete."""

import time
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import structlog

from memory.nodes.scenes import embedding_text
from memory.retrieval.text_vectors import embed_whole, with_prefixes
from providers.embedders import Embedders
from providers.embedding import Embedder
from schemas.ledger.kinds import REEMBED
from schemas.ledger.work import Claim
from store.database import Store
from store.ledger import work
from store.nodes import embeddings
from store.nodes.embeddings import EmbeddingText

log = structlog.get_logger()

BATCH = 500
TURN = timedelta(minutes=5)


def request_reembedding(store: Store, embedders: Embedders) -> None:
    """Request re-embedding of up to 100 Beings with vectors of another model than the settings name."""
    if not embedders.replaces:
        return
    model = embedders.wanted.model
    with store.transaction() as tx:
        for being_id in embeddings.beings_of_other_models(tx, model, 100):
            work.ask(tx, being_id, REEMBED, model)


def reembed(store: Store, embedders: Embedders, claim: Claim, *, turn: timedelta = TURN) -> None:
    """Embed texts without a vector of the new model, BATCH at a time, then switch all nodes to the new vectors at once.

    Work that takes longer than a `turn` is requested again and continues from the stored vectors, so that it stays
    below the task time limit and other Beings get their turn.
    """
    being_id, model = claim.owner_id, claim.key
    if model != embedders.wanted.model:
        with store.finishing(claim):
            log.info("reembedding.superseded", being_id=str(being_id), model=model)
        return
    ends = time.monotonic() + turn.total_seconds()
    complete = False
    while not complete:
        if not _embed_missing(store, embedders.wanted, claim, ends):
            with store.finishing(claim) as tx:
                work.ask(tx, being_id, REEMBED, model)
                log.info("reembedding.goes_on_later", being_id=str(being_id), model=model)
            return
        complete = store.run(embeddings.serve, being_id, model)
    with store.finishing(claim):
        log.info("reembedding.done", being_id=str(being_id), model=model)


def _embed_missing(store: Store, embedder: Embedder, claim: Claim, ends: float) -> bool:
    """Embed all missing texts once; returns false if `ends` (monotonic clock) passed before."""
    after = b""
    while True:
        with store.transaction() as tx:
            # Raises if the lease is lost; stored vectors serve the worker that holds it now.
            work.hold(tx, claim)
            page = embeddings.texts_of_other_models(tx, claim.owner_id, embedder.model, after=after, limit=BATCH)
        if not page:
            return True
        after = page[-1].text_hash
        missing = [text for text in page if not text.kept]
        if not missing:
            continue
        _embed(store, embedder, claim.owner_id, missing)
        if time.monotonic() >= ends:
            return False


def _embed(store: Store, embedder: Embedder, being_id: UUID, missing: Sequence[EmbeddingText]) -> None:
    texts = [embedding_text(text.scene, text.feeling) for text in missing]
    made = with_prefixes(embedder, texts, embed_whole(embedder, texts))
    vectors = {text.text_hash: vector for text, vector in zip(missing, made, strict=True)}
    store.run(embeddings.keep, being_id, embedder.model, vectors)
