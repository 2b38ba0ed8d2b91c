"""Moving a Being to another embedder in the background: the old vectors serve until the new ones are complete."""

import structlog

from memory.scene import embedding_text
from providers.embedders import Embedders
from providers.embedding import Embedder, embed_each
from providers.errors import InputRefused
from schemas.work import Claim, Ring
from store import embeddings, work
from store.database import Store
from store.embeddings import Vector

log = structlog.get_logger()

BATCH = 500
KIND = "upkeep.reembed"


def ask_for_reembedding(store: Store, embedders: Embedders, limit: int = 100) -> list[Ring]:
    """Ask for the move of every Being whose vectors are of another model than the settings want."""
    if not embedders.replaces:
        return []
    model = embedders.wanted.model
    with store.transaction() as tx:
        behind = embeddings.beings_of_other_models(tx, model, limit)
        return [ring for being_id in behind for ring in work.ask(tx, being_id, KIND, model, "upkeep")]


def reembed(store: Store, embedders: Embedders, claim: Claim) -> None:
    """Embed what has no vector of the wanted model yet, batch by batch, then let all of them serve at once."""
    being_id, model = claim.owner_id, claim.key
    if model != embedders.wanted.model:
        with store.finishing(claim):
            log.info("reembedding.superseded", being_id=str(being_id), model=model)
        return
    while True:
        _embed_missing(store, embedders.wanted, claim)
        with store.transaction() as tx:
            complete = embeddings.serve(tx, being_id, model)
        if complete:
            break
    with store.finishing(claim):
        log.info("reembedding.done", being_id=str(being_id), model=model)


def _embed_missing(store: Store, embedder: Embedder, claim: Claim) -> None:
    while True:
        with store.transaction() as tx:
            # Whoever has lost the lease stops here; what was paid for so far is kept for the one who has it.
            work.hold(tx, claim)
            rows = embeddings.missing(tx, claim.owner_id, embedder.model, BATCH)
        if not rows:
            return
        texts = [embedding_text(row.scene, row.feeling) for row in rows]
        vectors = {
            row.text_hash: _less(embedder, text) if isinstance(answer, InputRefused) else answer
            for row, text, answer in zip(rows, texts, embed_each(embedder, texts), strict=True)
        }
        with store.transaction() as tx:
            embeddings.keep(tx, claim.owner_id, embedder.model, vectors)


def _less(embedder: Embedder, text: str) -> Vector:
    """Embed as much of a text's beginning as this model takes: a memory is not lost to a smaller window."""
    while len(text) > 1:
        text = text[: len(text) // 2]
        (answer,) = embed_each(embedder, [text])
        if not isinstance(answer, InputRefused):
            return answer
    raise InputRefused("The model refuses even the first letter of a text that another model took.")
