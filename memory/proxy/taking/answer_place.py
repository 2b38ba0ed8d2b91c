"""The place of the answer to a transcript, and the beginning that it continues."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.proxy.reading.background import ends_with_task
from memory.proxy.reading.speakers import asks_another
from memory.proxy.reading.transcript import Transcript
from memory.proxy.reading.turns import Turn
from schemas.text.sentences import SENTENCE_ENDS, SPACED_ENDS

_GO_ON = re.compile(r"\s*\[?continue (your last|the following) message", re.IGNORECASE)
_CLOSING = '"”»*)'
# Behind a space, or nothing, a quotation or an action begins.
_ENDS_SENTENCE = re.compile(rf"\S[{SENTENCE_ENDS}…{_CLOSING}]\s*+\Z")
# A point or comma behind a digit, as in `3.14`, ends nothing; a dash or a letter may stand within a word.
_BEFORE_SPACE = frozenset(f"{SPACED_ENDS}…,;:{_CLOSING}")


@dataclass(frozen=True, slots=True)
class AnswerPlace:
    """The place of an answer: behind a message.

    Attributes:
        conversation: The conversation.
        message_id: The message that it answers; None: the newest known message of the conversation.
        begun: The part of it that was said before, if it goes on.
        opened: Whether the request opened its reasoning, so that the answer may only close it.
        unsure: Whether it may answer a request that the frontend made for itself.
        names: By which names the transcript means the Being, beside its own.
        off_the_record: Whether no word of it is to be kept.
    """

    conversation: str
    message_id: UUID | None
    begun: str = ""
    opened: bool = False
    unsure: bool = False
    names: Sequence[str] = ()
    off_the_record: bool = False


def is_awaited(transcript: Transcript, own_names: Sequence[str]) -> bool:
    """Whether the answer to a transcript is one that the Being with these names gives in this talk."""
    return not ends_with_task(transcript) and not asks_another(transcript, own_names)


def beginning_of_answer(transcript: Transcript, last: Turn) -> str:
    """Return the last turn of a transcript, if the answer goes on from it; else nothing."""
    line = transcript.last_line
    if last.role != "assistant" or line is None or not (line.role == "assistant" or _GO_ON.match(line.text)):
        return ""
    begun = next(line.text for line in reversed(transcript.lines) if line.role == "assistant" and line.text.strip())
    # The space at its end separates it from its continuation.
    return last.text + begun[len(begun.rstrip()) :]


def ends_sentence(text: str) -> bool:
    """Whether a text ends with a sentence, so that a model may be to add another one."""
    return _ENDS_SENTENCE.search(text) is not None


def continued(begun: str, text: str) -> str:
    """Return an answer that continues one: a space follows a sentence that had ended, as models leave it out.

    A quotation mark or asterisk behind a space, or behind nothing, begins something instead.
    """
    text = text if begun else text.lstrip()
    ended = begun[-1:] in _BEFORE_SPACE and begun[-2:-1].strip() and text[:1].isalnum()
    return f"{begun} {text}" if begun and ended else begun + text
