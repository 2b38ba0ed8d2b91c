"""Measures whether questions find what was said in six languages, with each local encoder.

`talk.json` holds what was said with a question about it, which uses other words. For each language a Being is told
everything; found is what was said if it is the first result of the search, by words and meaning.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from memory.intake.messages import accept_messages
from memory.search import embedding, indexing
from memory.search import search as searching
from providers.embedders import Embedders
from providers.errors import Misconfigured
from schemas.ledger.kinds import EMBED_TOLD, INDEX_WORDS, WorkKind
from schemas.ledger.work import Claim
from schemas.search import EverythingRequest
from schemas.settings import Settings
from store.accounts import beings, users
from store.database import Store
from store.ledger import work

TALK: Mapping[str, Sequence[tuple[str, str]]] = json.loads(
    (Path(__file__).parent / "talk.json").read_text(encoding="utf-8")
)
ENCODERS = ("minilm", "multilingual")
TURN = timedelta(hours=1)

Work = Callable[[Store, UUID, WorkKind, Callable[[Claim], None]], None]


def found_in_languages(store: Store, do: Work) -> dict[str, dict[str, float]]:
    """For each encoder that is installed the share of questions whose answer is found, of each language.

    Args:
        store: The ledger.
        do: Does work that was asked for.
    """
    figures: dict[str, dict[str, float]] = {}
    for encoder in ENCODERS:
        embedders = Embedders(Settings(embedder=encoder))
        try:
            embedders.wanted  # noqa: B018 - opened, if it is installed
        except Misconfigured:
            continue
        shares = {language: _found(store, embedders, do, encoder, language) for language in TALK}
        figures[f"{encoder}: found first"] = {"all": sum(shares.values()) / len(shares), **shares}
    return figures


def _found(store: Store, embedders: Embedders, do: Work, encoder: str, language: str) -> float:
    settings = Settings(embedder=encoder)
    with store.transaction() as tx:
        user = users.add_user(tx, f"{language} by {encoder}", "UTC")
        being = beings.add_being(tx, user.user_id, "being", "Being")
    items = [
        {"id": str(place), "role": "user", "content": sentence} for place, (sentence, _) in enumerate(TALK[language])
    ]
    accept_messages(store, settings, being.being_id, items)
    with store.transaction() as tx:
        work.ask(tx, being.being_id, INDEX_WORDS)
    do(store, being.being_id, INDEX_WORDS, lambda claim: indexing.index(store, claim, turn=TURN))
    with store.transaction() as tx:
        work.ask(tx, being.being_id, EMBED_TOLD)
    do(store, being.being_id, EMBED_TOLD, lambda claim: embedding.embed(store, embedders, claim, turn=TURN))
    with store.transaction() as tx:
        being = beings.get_being(tx, being.being_id)
    right = 0
    for sentence, question in TALK[language]:
        request = EverythingRequest(query=question, kinds=["message"], limit=1)
        results = searching.search(store, embedders, being, request).results
        right += bool(results) and results[0].text == sentence
    return right / len(TALK[language])
