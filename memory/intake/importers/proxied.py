"""Finds the messages of an export that came in through the proxy before, where they got no ids of a producer."""

from memory.intake.importers.entries import Conversation
from memory.text.same_words import LONG, comparable, digest
from schemas.accounts.accounts import Being
from store.database import Store
from store.talk import transcripts

# A chat may have been recognised anew after long changes: of so many conversations the messages are looked for.
CONVERSATIONS = 5
FEWEST = 2


def proxied(store: Store, being: Being, chat: Conversation) -> set[str]:
    """Return the ids of those messages of a chat that are known under no id.

    They are messages of a proxied conversation of which the chat has two at least that are not short, and half of all:
    it is the same talk. Each message of that stands for one of the chat.
    """
    words = {message["id"]: comparable(message["content"]) for message in chat.messages}
    keys = {message["id"]: digest(message["role"], words[message["id"]]) for message in chat.messages}
    found: set[str] = set()
    with store.transaction() as tx:
        talks = transcripts.conversations_with(tx, being.being_id, set(keys.values()), prefix="", limit=CONVERSATIONS)
        for conversation, _ in talks:
            left = transcripts.without_ids(tx, being.being_id, conversation)
            least = max(FEWEST, left.total() / 2)
            same: list[str] = []
            for id_, key in keys.items():
                if id_ not in found and left[key]:
                    left[key] -= 1
                    same.append(id_)
            is_chance = sum(len(words[id_]) for id_ in same) < LONG
            found.update(same if len(same) >= least and not is_chance else [])
    return found
