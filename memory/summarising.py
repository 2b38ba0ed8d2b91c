"""Writing summaries: what is there is handed to a model together with what was said since, and comes back as one.

All three summaries are written so: what does not fit into one question is taken in portion by portion.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from uuid import UUID

from memory.fences import fenced
from memory.prompting import Prompt
from memory.thinking import Mind
from memory.transcript import portions, transcript
from providers.errors import BadAnswer, InputRefused
from schemas.limits import SUMMARY_LINE_CHARACTERS
from schemas.rows import Message
from schemas.summaries import Summary

A = TypeVar("A", bound=Summary)

# Halving finds one message among 50 in six steps; where more fails, it is not for a single message.
MOST_FAILURES = 8


@dataclass
class Summed(Generic[A]):
    """What came of it.

    Attributes:
        summary: The summary as it is now; None where there was and is none.
        told: Whether anything new went into it.
        faults: Why some messages could not be taken in; empty where all were.
    """

    summary: A | None
    told: bool = False
    faults: list[BadAnswer | InputRefused] = field(default_factory=list)


def summed_up(
    mind: Mind,
    prompt: Prompt[A],
    about: str,
    so_far: A | None,
    said: Sequence[Message],
    heard: Mapping[UUID, str],
    check: Callable[[A], None],
) -> Summed[A]:
    """Take messages into a summary.

    A portion that can't be summed up is tried in halves, until the message that spoils it stands alone and is passed
    over, or so much has failed that it is for another reason.

    Args:
        mind: Who writes.
        prompt: What to write.
        about: Who the Being is, fenced.
        so_far: The summary up to now.
        said: What was said since, in order.
        heard: What each message says beside what this system had shown.
        check: The summary's own rules; raises BadAnswer.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `Mind.ask`; nothing is lost, it can be asked again.
    """
    result = Summed(so_far)
    lots = portions([message for message in said if heard[message.message_id].strip()], heard)
    while lots and len(result.faults) < MOST_FAILURES:
        lot = lots.pop(0)
        try:
            result.summary = mind.ask(prompt.question(about, material(result.summary, lot, heard)), check).answer
            result.told = True
        except (BadAnswer, InputRefused) as fault:
            result.faults.append(fault.with_traceback(None))
            if len(lot) > 1:
                middle = len(lot) // 2
                lots[:0] = [lot[:middle], lot[middle:]]
    return result


def material(so_far: Summary | None, said: Sequence[Message], heard: Mapping[UUID, str]) -> str:
    """What a model is shown: the summary up to now, and what was said since."""
    before = [] if so_far is None else [fenced("so-far", so_far.model_dump_json())]
    return "\n".join([*before, transcript(said, heard)])


def check_lines(name: str, lines: Sequence[str], most: int) -> None:
    """Hold a part of a summary that is a list against its measure.

    Raises:
        BadAnswer: There are too many lines, or one is too long.
    """
    if len(lines) > most:
        raise BadAnswer(f"`{name}` has {len(lines)} items, and may have {most}.")
    if any(len(line) > SUMMARY_LINE_CHARACTERS for line in lines):
        raise BadAnswer(f"An item of `{name}` is longer than {SUMMARY_LINE_CHARACTERS} characters.")
