"""What was said, as a model is shown it: each message in a fence, with who said it and when."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from memory.entity_names import USER_NAMES, slug
from memory.fences import fenced
from schemas.rows import Message

BY = {"user": "user", "assistant": "companion"}
TAKEN_NAMES = USER_NAMES | {"companion"}
MESSAGES_AT_ONCE = 50
CHARACTERS_AT_ONCE = 24_000
# Of a single message, so much tells what it is about.
MESSAGE_CHARACTERS = 4_000


def speaker(message: Message) -> str:
    """Who said a message, in the one word that prompts know them by."""
    if message.role in BY:
        return BY[message.role]
    # Nobody else in the room is taken for one of these two, whatever they are called.
    name = message.speaker or "somebody"
    return f"somebody called {name}" if slug(name) in {slug(taken) for taken in TAKEN_NAMES} else name


def transcript(said: Sequence[Message], heard: Mapping[UUID, str]) -> str:
    """Messages one below the other, each shortened to what one question can bear."""
    return "\n".join(
        fenced(
            "message",
            heard[message.message_id].strip()[:MESSAGE_CHARACTERS],
            by=speaker(message),
            at=f"{message.created_at:%Y-%m-%d %H:%M}",
        )
        for message in said
        if heard[message.message_id].strip()
    )


def portions(said: Sequence[Message], heard: Mapping[UUID, str]) -> list[list[Message]]:
    """Messages in lots that one question can bear: 50 of them, or 24,000 characters; at least one, however long."""
    lots: list[list[Message]] = []
    room = 0
    for message in said:
        length = min(len(heard[message.message_id]), MESSAGE_CHARACTERS)
        if not lots or room < length or len(lots[-1]) == MESSAGES_AT_ONCE:
            lots.append([])
            room = CHARACTERS_AT_ONCE
        lots[-1].append(message)
        room -= length
    return lots
