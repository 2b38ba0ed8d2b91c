"""Renders messages for prompts: each between tags, with its speaker and time."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from memory.text.entity_names import USER_NAMES, slug
from memory.text.prompt_escaping import tagged
from schemas.talk.messages import Message

BY = {"user": "user", "assistant": "companion"}
NO_REFS: Mapping[UUID, str] = {}
# The attribute of a message that was said in confidence.
CONFIDED: Mapping[str, str] = {"in-confidence": "yes"}
TAKEN_NAMES = USER_NAMES | {"companion"}
MESSAGES_AT_ONCE = 50
CHARACTERS_AT_ONCE = 24_000
# A longer message is truncated to this in prompts.
MESSAGE_CHARACTERS = 4_000


def speaker(message: Message) -> str:
    """Name a message's speaker as prompts do: `user`, `companion`, or the third speaker's own name."""
    if message.role in BY:
        return BY[message.role]
    # A third speaker with one of these two labels as name is marked, so that the model does not confuse them.
    name = message.speaker or "another speaker"
    return f"a speaker called {name}" if slug(name) in {slug(taken) for taken in TAKEN_NAMES} else name


def transcript(
    messages: Sequence[Message],
    texts: Mapping[UUID, str],
    refs: Mapping[UUID, str] = NO_REFS,
    own: Mapping[UUID, str] = NO_REFS,
) -> str:
    """Render messages one below the other, each truncated to MESSAGE_CHARACTERS; blank ones are left out.

    Args:
        messages: The messages, in order.
        texts: The text of each to show, by message id.
        refs: The references under which an answer may name some of them, by message id.
        own: The references of the user's own messages, where an answer may name these for something else.
    """
    return "\n".join(
        tagged(
            "message",
            texts[message.message_id].strip()[:MESSAGE_CHARACTERS],
            **({"ref": refs[message.message_id]} if message.message_id in refs else {}),
            **({"own": own[message.message_id]} if message.message_id in own else {}),
            by=speaker(message),
            at=f"{message.created_at:%Y-%m-%d %H:%M}",
            **CONFIDED if message.in_confidence else {},
        )
        for message in messages
        if texts[message.message_id].strip()
    )


def split_messages(messages: Sequence[Message], texts: Mapping[UUID, str]) -> list[list[Message]]:
    """Split messages into runs for one prompt each: at most 50 messages and 24,000 characters, at least one message."""
    runs: list[list[Message]] = []
    room = 0
    for message in messages:
        length = min(len(texts[message.message_id]), MESSAGE_CHARACTERS)
        if not runs or room < length or len(runs[-1]) == MESSAGES_AT_ONCE:
            runs.append([])
            room = CHARACTERS_AT_ONCE
        runs[-1].append(message)
        room -= length
    return runs
