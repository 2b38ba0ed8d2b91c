"""Measures whether questions find what was said in six languages, with each local encoder.

`talk.json` holds what was said with a question about it, which uses other words. For each language a Being is told
everything; found is what was said if it is the first result of the search, by words and meaning.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.search.working import index
from memory.intake.messages import accept_messages
from memory.search import search as searching
from providers.embedders import Embedders
from providers.errors import Misconfigured
from schemas.search import EverythingRequest
from schemas.settings import Settings
from store.accounts import beings, users
from store.database import Store

TALK: Mapping[str, Sequence[tuple[str, str]]] = json.loads(
    (Path(__file__).parent / "talk.json").read_text(encoding="utf-8")
)
ENCODERS = ("minilm", "multilingual")


def found_in_languages(store: Store) -> dict[str, dict[str, float]]:
    """For each encoder that is installed the share of questions whose answer is found, of each language."""
    figures: dict[str, dict[str, float]] = {}
    for encoder in ENCODERS:
        embedders = Embedders(Settings(embedder=encoder))
        try:
            embedders.wanted  # noqa: B018 - opened, if it is installed
        except Misconfigured:
            continue
        shares = {language: _found(store, embedders, encoder, language) for language in TALK}
        figures[f"{encoder}: found first"] = {"all": sum(shares.values()) / len(shares), **shares}
    return figures


def _found(store: Store, embedders: Embedders, encoder: str, language: str) -> float:
    settings = Settings(embedder=encoder)
    with store.transaction() as tx:
        user = users.add_user(tx, f"{language} by {encoder}", "UTC")
        being = beings.add_being(tx, user.user_id, "being", "Being")
    items = [
        {"id": str(place), "role": "user", "content": sentence} for place, (sentence, _) in enumerate(TALK[language])
    ]
    accept_messages(store, settings, being.being_id, items)
    index(store, embedders, being.being_id)
    being = store.run(beings.get_being, being.being_id)
    right = 0
    for sentence, question in TALK[language]:
        request = EverythingRequest(query=question, kinds=["message"], limit=1)
        results = searching.search(store, embedders, being, request).results
        right += bool(results) and results[0].text == sentence
    return right / len(TALK[language])
