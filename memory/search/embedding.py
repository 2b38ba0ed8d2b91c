"""Vectors for what was said, in the background: told first, found by words a moment later, then by meaning.

Messages are embedded with their speaker's name, for who said a thing is half of what it means (measured: 0.45 of the
evidence of two conversations in the first ten by cosine alone, and 0.24 without names).
"""

from datetime import timedelta
from time import monotonic
from typing import Any
from uuid import UUID

import structlog

from memory.nodes.reembedding import embed_prefix
from memory.search.indexing import EMBEDDED, text_of, work_off_meaning
from providers.embedders import Embedders
from providers.embedding import Embedder, embed_each
from providers.errors import InputRefused
from schemas.nodes.nodes import UNEMBEDDED
from schemas.search import Kind
from schemas.work import Claim
from store.database import Store
from store.ledger import work
from store.search import documents, queue, vectors
from store.transaction import Transaction

log = structlog.get_logger()

# A batch on this machine takes half a second, and a turn a few: live work gets its worker in between.
BATCH = 64
TURN = timedelta(seconds=3)
# A message's beginning tells what it is about; models with small windows cut it shorter.
CHARACTERS_EMBEDDED = 4_000


def ask_for_other_models(store: Store, embedders: Embedders, limit: int = 100) -> None:
    """Queue what has vectors of another model than the settings want, for new ones."""
    if not embedders.replaces:
        return
    model = embedders.wanted.model
    with store.transaction() as tx:
        for owner_id in vectors.owners_of_other_models(tx, model, limit):
            vectors.embed_again(tx, owner_id, model, EMBEDDED)


def embed_waiting(store: Store, embedders: Embedders, lease: timedelta, attempts: int) -> None:
    """Embed what was told lately, owner after owner, for a turn's time."""
    work_off_meaning(store, lease, attempts, lambda claim: embed(store, embedders, claim))


def embed(store: Store, embedders: Embedders, claim: Claim, *, turn: timedelta = TURN) -> None:
    """Give what waits its vectors, batch by batch, for a `turn`; what is left waits for the next one.

    Raises:
        ProviderError: The embedder is out of reach; what was embedded so far is kept.
    """
    owner_id = claim.owner_id
    ends = monotonic() + turn.total_seconds()
    with store.transaction() as tx:
        embedder = _embedder(tx, embedders, owner_id)
    while True:
        with store.transaction() as tx:
            work.hold(tx, claim)
            user_id = queue.user_of(tx, owner_id)
            batch = vectors.unembedded(tx, owner_id, user_id, BATCH) if user_id else []
        if not batch:
            break
        texts = [_text(one.kind, one.content, one.speaker) for one in batch]
        made = {
            (one.kind, one.item_id): embed_prefix(embedder, text) if isinstance(answer, InputRefused) else answer
            for one, text, answer in zip(batch, texts, embed_each(embedder, texts), strict=True)
        }
        with store.transaction() as tx:
            work.hold(tx, claim)
            vectors.keep(tx, owner_id, embedder.model, made, batch)
            vectors.serve(tx, owner_id, embedder.model)
        if monotonic() >= ends:
            break
    with store.finishing(claim) as tx:
        vectors.serve(tx, owner_id, embedder.model)


def _embedder(tx: Transaction, embedders: Embedders, owner_id: UUID) -> Embedder:
    """Who embeds for an owner: the model of the vectors that serve, unless the settings want another in its place.

    A Being's memories decide for what it was told, so that one embedding of a question meets both.
    """
    if embedders.replaces:
        return embedders.wanted
    owner = documents.owner(tx, owner_id)
    model = owner.embedding_model if owner and owner.embedding_model else vectors.being_model(tx, owner_id)
    return embedders.serving(None if model == UNEMBEDDED else model)


def _text(kind: Kind, content: Any, speaker: str | None) -> str:
    text = text_of(kind, content, None)[:CHARACTERS_EMBEDDED]
    return f"{speaker}: {text}" if speaker else text
