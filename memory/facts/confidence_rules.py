"""Which messages are in confidence, by the Shadow Judge's answer: each is named with the message that asks for it.

In doubt, messages are in confidence: then too much stays with one Being, and a person can lift it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.text.entity_names import slug
from schemas.facts.judgement import FoundConfidence
from schemas.talk.messages import Message

# Shorter words are in most sentences.
TELLING_CHARACTERS = 4


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message that the judge was shown, and its text with the words of contexts blanked; positions are the same."""

    message: Message
    own_text: str


@dataclass(frozen=True, slots=True)
class Confidence:
    """A message that is in confidence, and the message that is the reason: often the same."""

    message_id: UUID
    asked_in: UUID


def requests(
    found: Sequence[FoundConfidence], shown: Mapping[str, ShownMessage], new: Collection[UUID]
) -> set[Confidence]:
    """Read the confidences of an answer.

    Args:
        found: The confidences as the judge named them.
        shown: All messages that it was shown, by ref, in order.
        new: The ids of those to judge.

    Returns:
        The confidences. If one names no message that was shown, all new messages are in confidence.
    """
    confidences = set[Confidence]()
    for one in found:
        message, asking = shown.get(one.message), shown.get(one.asked_in)
        if message is None:
            confidences.update(Confidence(message_id, message_id) for message_id in new)
            continue
        message_id = message.message.message_id
        if asking is not None and asking.message.message_id in new:
            confidences.add(Confidence(message_id, asking.message.message_id))
        else:
            # A request that was made before is known, so that a new message is the reason for itself.
            *_, last = (each.message.message_id for each in shown.values() if each.message.message_id in new)
            confidences.add(Confidence(message_id, message_id if message_id in new else last))
    return confidences


def repeated(
    statement: str, source: ShownMessage, shown: Sequence[ShownMessage], secret: Collection[UUID]
) -> set[UUID]:
    """The messages in confidence that a statement rests on though another message supports it.

    Args:
        source: The message that it quotes.
        shown: All messages that the judge was shown.
        secret: The ids of those in confidence.

    Returns:
        The ids of messages in confidence with words of the statement that no other message shown has.
    """
    if source.message.message_id in secret:
        return set()
    told_to_all = set[str]().union(*(_words(each.own_text) for each in shown if each.message.message_id not in secret))
    only_in_secret = _words(statement) - told_to_all
    return {
        each.message.message_id
        for each in shown
        if each.message.message_id in secret and only_in_secret & _words(each.own_text)
    }


def needs_unheard(statement: str, heard: Iterable[str], unheard: Iterable[str]) -> bool:
    """Return whether a statement has words that stand only in messages that a Being did not receive."""
    heard_words = set[str]().union(*map(_words, heard))
    return not (_words(statement) - heard_words).isdisjoint(set[str]().union(*map(_words, unheard)))


def _words(text: str) -> set[str]:
    return {word for word in slug(text).split("_") if len(word) >= TELLING_CHARACTERS}
