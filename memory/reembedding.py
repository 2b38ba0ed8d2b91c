"""Moving a Being to another embedder in the background: the old vectors serve until the new ones are complete."""

import time
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import structlog

from memory.scene import embedding_text
from providers.embedders import Embedders
from providers.embedding import Embedder, embed_each
from providers.errors import InputRefused
from schemas.work import Claim, Ring
from store import embeddings, work
from store.database import Store
from store.embeddings import Text, Vector

log = structlog.get_logger()

BATCH = 500
KIND = "upkeep.reembed"
TURN = timedelta(minutes=5)


def ask_for_reembedding(store: Store, embedders: Embedders, limit: int = 100) -> list[Ring]:
    """Ask for the move of every Being whose vectors are of another model than the settings want."""
    if not embedders.replaces:
        return []
    model = embedders.wanted.model
    with store.transaction() as tx:
        behind = embeddings.beings_of_other_models(tx, model, limit)
        return [ring for being_id in behind for ring in work.ask(tx, being_id, KIND, model, "upkeep")]


def reembed(store: Store, embedders: Embedders, claim: Claim, *, turn: timedelta = TURN) -> None:
    """Embed what has no vector of the wanted model yet, batch by batch, then let all of them serve at once.

    What takes longer than a `turn` is asked for again and goes on from what is kept: workers stop units that last, and
    others may have theirs in between.
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
                work.ask(tx, being_id, KIND, model, "upkeep")
                log.info("reembedding.goes_on_later", being_id=str(being_id), model=model)
            return
        with store.transaction() as tx:
            complete = embeddings.serve(tx, being_id, model)
    with store.finishing(claim):
        log.info("reembedding.done", being_id=str(being_id), model=model)


def _embed_missing(store: Store, embedder: Embedder, claim: Claim, ends: float) -> bool:
    """Go over all texts once; False where the time (`ends`, by the monotonic clock) was over before."""
    after = b""
    while True:
        with store.transaction() as tx:
            # Whoever has lost the lease stops here; what was paid for so far is kept for the one who has it.
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


def _embed(store: Store, embedder: Embedder, being_id: UUID, missing: Sequence[Text]) -> None:
    texts = [embedding_text(text.scene, text.feeling) for text in missing]
    vectors = {
        text.text_hash: less(embedder, words) if isinstance(answer, InputRefused) else answer
        for text, words, answer in zip(missing, texts, embed_each(embedder, texts), strict=True)
    }
    with store.transaction() as tx:
        embeddings.keep(tx, being_id, embedder.model, vectors)


def less(embedder: Embedder, text: str) -> Vector:
    """Embed as much of a text's beginning as this model takes: a memory is not lost to a smaller window."""
    while len(text) > 1:
        text = text[: len(text) // 2]
        (answer,) = embed_each(embedder, [text])
        if not isinstance(answer, InputRefused):
            return answer
    raise InputRefused("The model refuses even the first letter of a text that another model took.")
