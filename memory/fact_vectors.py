"""Vectors for facts, made in the background: told first, found by meaning a moment later.

Facts are the user's, whose Beings may have embedders of their own, so they are embedded by the platform's. While that
is out of reach they wait, and are found by their words. When another model is wanted, the old vectors serve until every
fact has a new one.
"""

from functools import partial
from uuid import UUID

from memory import curator
from memory.reembedding import less
from providers.embedders import Embedders
from providers.embedding import Embedder, embed_each
from providers.errors import InputRefused
from schemas.settings import Settings
from schemas.work import Claim, Ring
from store import fact_vectors, facts, work
from store.database import Store
from store.fact_vectors import Unembedded
from store.transaction import Transaction

KIND = "upkeep.embed_facts"
BATCH = 500
# Statements are added to a fact without end; what was said last tells most about it.
CHARACTERS_EMBEDDED = 4_000


def ask(tx: Transaction, user_id: UUID) -> list[Ring]:
    """Ask for vectors of whatever facts of this user have none."""
    return work.ask(tx, user_id, KIND, "", "upkeep")


def ask_for_other_models(store: Store, embedders: Embedders, limit: int = 100) -> list[Ring]:
    """Ask for new vectors where those that serve are of another model than the settings want."""
    if not embedders.replaces:
        return []
    with store.transaction() as tx:
        behind = fact_vectors.users_of_other_models(tx, embedders.wanted.model, limit)
        return [ring for user_id in behind for ring in ask(tx, user_id)]


def embed(store: Store, embedders: Embedders, settings: Settings, claim: Claim) -> list[Ring]:
    """Give every fact of the user's a vector of its present words; then let that model serve.

    Returns:
        What to ring for: the curator, if enough was added for it.

    Raises:
        ProviderError: The embedder is out of reach; what was paid for is kept.
    """
    user_id = claim.owner_id
    with store.transaction() as tx:
        model = fact_vectors.serving(tx, user_id)
    embedder = embedders.wanted if embedders.replaces else embedders.serving(model)
    while True:
        with store.transaction() as tx:
            work.hold(tx, claim)
            page = fact_vectors.missing(tx, user_id, embedder.model, BATCH)
        if not page:
            break
        _embed(store, embedder, user_id, page)
    with store.finishing(claim, first=partial(facts.hold, user_id=user_id)) as tx:
        # What was told since will be embedded by the work that it asked for; until then it is found by its words.
        fact_vectors.serve(tx, user_id, embedder.model)
        return curator.ask(tx, settings, user_id)


def _embed(store: Store, embedder: Embedder, user_id: UUID, page: list[Unembedded]) -> None:
    texts = [fact.content[-CHARACTERS_EMBEDDED:] for fact in page]
    vectors = {
        fact.fact_id: (fact.text_hash, less(embedder, text) if isinstance(answer, InputRefused) else answer)
        for fact, text, answer in zip(page, texts, embed_each(embedder, texts), strict=True)
    }
    with store.transaction() as tx:
        fact_vectors.keep(tx, user_id, embedder.model, vectors)
