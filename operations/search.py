"""Searching everything that a Being was told."""

from memory.search import search
from operations.declaration import operation
from schemas.accounts.accounts import Being
from schemas.search import EverythingRequest, Found
from workers.runtime.resources import Resources


@operation("POST /v1/beings/{being}/search", scope="read", repeated="done again")
def search_everything(on: Resources, being: Being, question: EverythingRequest) -> Found:
    """Search all that a Being was told: messages, memories, facts, summaries, diary, knowledge; the vault where named.

    It finds by words, in any language, within a second of what was accepted, and by meaning once that was embedded;
    `unindexed` counts what is not there yet. Names of speakers and times in the query count for what was said by them
    and then, and exclude nothing else; `since`, `until` and `speaker` do.
    """
    return search.search(on.store, on.embedders, being, question)
