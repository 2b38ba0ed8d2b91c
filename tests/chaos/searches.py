"""Each accepted message is found by its own words when the system is quiet, and an erased one is never found again."""

import random

from memory.retrieval.query_vectors import QueryVectors
from memory.search.search import search_with_vectors
from schemas.accounts.accounts import Being
from schemas.search import EverythingRequest
from store.accounts import beings
from store.database import Store
from store.talk import retraction, scenes

UNEMBEDDED = QueryVectors(None, None, None, degraded=True)
SEARCHED = 2_000
ERASED = 20
LIMIT = 50


def unfound(store: Store, seed: int) -> list[str]:
    """Search for messages by their own words, erase some, and search again; returns a line for each violation."""
    chance = random.Random(f"{seed} searches")
    with store.transaction() as tx:
        rows = tx.execute("select being_id, message_id, content from memory.messages order by message_id").fetchall()
        spoken_to = {being_id: beings.get_being(tx, being_id) for being_id in {row["being_id"] for row in rows}}
    asked = chance.sample(rows, min(SEARCHED, len(rows)))
    wrong = [
        f"message {row['message_id']} is not found by its own words"
        for row in asked
        if str(row["message_id"]) not in _found(store, spoken_to[row["being_id"]], row["content"])
    ]
    for row in asked[:ERASED]:
        with store.transaction() as tx:
            scenes.detach(tx, row["being_id"], [row["message_id"]])
            retraction.erase(tx, row["being_id"], [row["message_id"]])
    wrong += [
        f"message {row['message_id']} was erased and is found"
        for row in asked[:ERASED]
        if str(row["message_id"]) in _found(store, spoken_to[row["being_id"]], row["content"])
    ]
    return wrong


def _found(store: Store, being: Being, content: str) -> set[str]:
    """The ids of the messages that are found by words alone."""
    with store.transaction() as tx:
        request = EverythingRequest(query=content, kinds=["message"], limit=LIMIT)
        return {one.id for one in search_with_vectors(tx, being, request, UNEMBEDDED).results}
