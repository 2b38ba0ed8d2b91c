"""Alternatives: answers to one message that all stand, because the talk goes on from each of them.

A frontend may ask several models at once, and resend to each its own transcript: the user's words are the same, the
answers before them differ. The messages behind such an answer distinguish it from a swiped one. The user's
words behind an answer are the same message as equal words behind another answer to the same message, if both answers
were there when it was said. So the user's words are stored once, and the models' answers beside each other.
"""

from memory.proxy.matching.alignment import KnownConversation
from memory.proxy.reading.turns import Turn
from store.talk.transcripts import PlacedMessage


def words_behind_another(known: KnownConversation, answer: PlacedMessage, turn: Turn) -> PlacedMessage | None:
    """Return the message with the words of a turn behind a sibling of a known answer."""
    if answer.role != "assistant" or answer.parent_id is None:
        return None
    others = (one for one in known.after.get(answer.parent_id, ()) if one.role == "assistant")
    behind = (message for one in others if one is not answer for message in known.after.get(one.message_id, ()))
    same = [message for message in behind if message.digest == turn.digest and was_there(answer, message)]
    return max(same, key=lambda one: one.message_id, default=None)


def are_alternatives(known: KnownConversation, one: PlacedMessage, other: PlacedMessage) -> bool:
    """Whether two answers to one message stand, and were there when the newest words behind any of its answers came."""
    if not (one.stands and other.stands and one.role == other.role == "assistant"):
        return False
    newest = (known.newest_behind.get(parent_id) for parent_id in (one.parent_id, other.parent_id))
    return any(message is not None and was_there(one, message) and was_there(other, message) for message in newest)


def was_there(answer: PlacedMessage, message: PlacedMessage) -> bool:
    """Whether an answer was known when the user said something that stands."""
    return message.stands and message.role == "user" and message.message_id > answer.message_id
