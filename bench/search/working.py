"""Does work that was asked for, as a worker would."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from memory.search import embedding, indexing
from providers.embedders import Embedders
from schemas.ledger.kinds import EMBED_TOLD, INDEX_WORDS, WorkKind
from schemas.ledger.work import Claim
from store.database import Store
from store.ledger import work

LEASE = timedelta(minutes=10)
TURN = timedelta(hours=1)


def index(store: Store, embedders: Embedders, being_id: UUID) -> None:
    """Index and embed everything that a Being was told."""
    with store.transaction() as tx:
        work.ask(tx, being_id, INDEX_WORDS)
        work.ask(tx, being_id, EMBED_TOLD)
    do_work(store, being_id, INDEX_WORDS, lambda claim: indexing.index(store, claim, turn=TURN))
    do_work(store, being_id, EMBED_TOLD, lambda claim: embedding.embed(store, embedders, claim, turn=TURN))


def do_work(store: Store, being_id: UUID, kind: WorkKind, do: Callable[[Claim], None], key: str = "") -> None:
    """Do a unit of work that is due, now or later."""
    with store.transaction() as tx:
        # What waits for more to come is done now.
        tx.execute("update memory.work set next_at = clock_timestamp() where owner_id = %s", [being_id])
        claim = work.claim(tx, being_id, kind.name, key, lease=LEASE, attempts=1)
    if claim is None:
        raise RuntimeError(f"{kind.name} is not due.")
    do(claim)
