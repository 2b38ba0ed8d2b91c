"""Talk in languages that the local embedder does not read: MiniLM is English."""

from collections import Counter
from uuid import UUID

from memory.text.languages import DEFAULT, spoken
from providers.embedding import selected_embedder
from providers.local.encoder_config import MINILM
from schemas.settings import Settings
from store.search import languages
from store.transaction import Transaction


def unread_language(tx: Transaction, being_id: UUID) -> str | None:
    """The language of most of a Being's talk, where MiniLM embeds it and it is not English."""
    found = [spoken(votes) for votes in languages.votes_of_model(tx, MINILM, being_id=being_id)]
    return next((language for language in found if language != DEFAULT), None)


def unread_languages(tx: Transaction, settings: Settings) -> Counter[str]:
    """How many Beings talk mostly in each language that MiniLM, which embeds them, does not read."""
    embeds_new = selected_embedder(settings) == "minilm"
    found = [spoken(votes) for votes in languages.votes_of_model(tx, MINILM, unembedded=embeds_new)]
    return Counter(language for language in found if language != DEFAULT)
