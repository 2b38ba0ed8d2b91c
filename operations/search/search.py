"""Searching all kinds of stored text of a Being."""

from memory.search import search
from operations.declaration import FindsMuted, Tool, operation
from schemas.accounts.accounts import Being
from schemas.search import EverythingRequest, SearchResults
from workers.runtime.resources import Resources


@operation(
    "POST /v1/beings/{being}/search",
    scope="read",
    repeated="done again",
    tool=Tool(
        "search",
        "Find what was said, happened or is known: every message, memory, fact and summary, with date and speaker.\n\n"
        "Use it when you need the words themselves, a date, or who said something. Best results come first.",
        takes=("query", "limit", "kinds", "since", "until", "speaker", "neighbours", "one_per"),
        defaults={"neighbours": 1},
        hints={"until": "Only what was said or happened before a time, or until the end of a date."},
    ),
)
def search_everything(on: Resources, being: Being, muted: FindsMuted, question: EverythingRequest) -> SearchResults:
    """Search all that a Being keeps: messages, memories, facts, summaries, diary, knowledge; the vault where named.

    Texts are found by words, in any language, within a second of their acceptance, and by meaning once embedded;
    `unindexed` counts the texts that are not there yet. Names of speakers and times in the query favour their
    messages, and exclude nothing else; `since`, `until` and `speaker` do. The scope `manage` also finds muted items.
    """
    return search.search(on.store, on.embedders, being, question, muted=muted)
