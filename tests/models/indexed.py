"""Indexing and embedding what Beings were told, in this process, as the workers do it."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from memory.search import embedding, indexing
from providers.embedders import Embedders
from schemas.ledger.kinds import EMBED_TOLD, INDEX_WORDS, WorkKind
from schemas.ledger.work import Claim
from store.database import Store
from store.ledger import work

LEASE = timedelta(seconds=30)


def index(store: Store, *owners: UUID) -> None:
    """Index all that waits of these Beings and users."""
    for owner_id in owners:
        do(store, owner_id, INDEX_WORDS, lambda claim: indexing.index(store, claim))


def embed(store: Store, embedders: Embedders, *owners: UUID) -> None:
    """Embed all that waits."""
    for owner_id in owners:
        do(store, owner_id, EMBED_TOLD, lambda claim: embedding.embed(store, embedders, claim, turn=LEASE))


def do(store: Store, owner_id: UUID, kind: WorkKind, act: Callable[[Claim], None]) -> None:
    """Ask for one unit of work, and do it."""
    with store.transaction() as tx:
        work.ask(tx, owner_id, kind, in_chain=True)
        claim = work.claim(tx, owner_id, kind.name, "", lease=LEASE, attempts=5)
    assert claim is not None
    act(claim)
