"""Vectors of facts, computed in the background.

Facts belong to the user, and the user's Beings may have different embedders, so the platform's embedder embeds them.
When the settings name another model, the old vectors serve until every fact has a new one.
"""

from datetime import timedelta
from functools import partial
from uuid import UUID

from memory.facts import curator
from memory.retrieval.text_vectors import with_prefixes
from providers.embedders import Embedders
from providers.embedding import Embedder, embed_each
from providers.windows import WHOLE_TOKENS
from schemas.ledger.kinds import EMBED_FACTS
from schemas.ledger.work import Claim
from schemas.settings import Settings
from store.database import Store
from store.facts import fact_vectors, facts
from store.facts.fact_vectors import UnembeddedFact
from store.ledger import work
from store.ledger.work import AT_ONCE
from store.transaction import Transaction

BATCH = 500


def request_embedding(tx: Transaction, user_id: UUID, *, after: timedelta = AT_ONCE) -> None:
    """Request vectors for the facts of this user that have none, `after` a while."""
    work.ask(tx, user_id, EMBED_FACTS, after=after)


def request_reembedding(store: Store, embedders: Embedders) -> None:
    """Request new vectors for up to 100 users with another serving model than the settings name."""
    if not embedders.replaces:
        return
    with store.transaction() as tx:
        for user_id in fact_vectors.users_of_other_models(tx, embedders.wanted.model, 100):
            request_embedding(tx, user_id)


def embed(store: Store, embedders: Embedders, settings: Settings, claim: Claim) -> None:
    """Embed the present content of each of the user's facts that needs it; then that model's vectors serve.

    If enough facts were added since the curator last ran, its work is requested.

    Raises:
        ProviderError: The embedder is unavailable; vectors computed so far are kept.
    """
    user_id = claim.owner_id
    model = store.run(fact_vectors.serving_model, user_id)
    embedder = embedders.wanted if embedders.replaces else embedders.serving(model)
    while True:
        with store.transaction() as tx:
            work.hold(tx, claim)
            page = fact_vectors.unembedded(tx, user_id, embedder.model, BATCH)
        if not page:
            break
        _embed(store, embedder, user_id, page)
    with store.finishing(claim, first=partial(facts.lock, user_id=user_id)) as tx:
        # Facts added since the last page are embedded by the work that their transaction requested.
        fact_vectors.set_serving_model(tx, user_id, embedder.model)
        curator.request_if_due(tx, settings, user_id)


def _embed(store: Store, embedder: Embedder, user_id: UUID, page: list[UnembeddedFact]) -> None:
    texts = [newest_words(embedder, fact.content) for fact in page]
    made = with_prefixes(embedder, texts, embed_each(embedder, texts))
    vectors = {fact.fact_id: (fact.text_hash, vector) for fact, vector in zip(page, made, strict=True)}
    store.run(fact_vectors.upsert, user_id, embedder.model, vectors)


def newest_words(embedder: Embedder, content: str) -> str:
    """Return the end of a fact's content, where its newest statements are, in the length of one vector.

    The search has a vector for each window of a longer content, so earlier statements are found too.
    """
    text, most = content, min(embedder.max_tokens, WHOLE_TOKENS)
    while (tokens := embedder.count_tokens([text])[0]) > most:
        text = text[-max(1, min(len(text) - 1, len(text) * most // tokens)) :]
    if len(text) == len(content):
        return content
    # A sentence that begins in the middle is left out, unless it is the only one.
    _, _, whole = text.partition(". ")
    return whole or text
