"""Updating a summary: the model gets the summary so far and the messages since, and answers with the new summary.

The rolling, session and spine summaries are all updated so. Messages that do not fit into one prompt are taken in
portion by portion.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from uuid import UUID

from memory.grounding.setting import Setting
from memory.llm.portions import ask_in_turn, halves
from memory.llm.prompting import Prompt
from memory.llm.session import LlmSession
from memory.text.prompt_escaping import tagged, texts_in, unescaped
from memory.text.transcripts import NO_REFS, split_messages, transcript
from providers.errors import BadAnswer, InputRefused
from schemas.limits import SUMMARY_LINE_CHARACTERS
from schemas.talk.messages import Message
from schemas.talk.summaries import Summary
from schemas.text.sentences import sentences

A = TypeVar("A", bound=Summary)
# How a conversation felt, and the ref that a prompt gives it.
UNCHECKED = frozenset({"tone", "conversation"})


@dataclass
class SummaryUpdate(Generic[A]):
    """The result of an update.

    Attributes:
        summary: The current summary; None if there was none and none was written.
        changed: Whether any messages went into it.
        faults: Why some messages could not be added; empty if all were.
    """

    summary: A | None
    changed: bool = False
    faults: list[BadAnswer | InputRefused] = field(default_factory=list)


AskPortion = Callable[[A | None, Sequence[Message]], A]
"""Asks for the summary that includes a portion of messages, given the summary before it."""


def asking(
    llm: LlmSession,
    prompt: Prompt[A],
    about: str,
    own_texts: Mapping[UUID, str],
    check: Callable[[A], None],
    setting: Setting,
) -> AskPortion[A]:
    """Return a function that asks for a summary and nothing else.

    Args:
        llm: The session with the model.
        prompt: The instructions.
        about: The Being's description, fenced.
        own_texts: The texts of messages with the words of contexts blanked.
        check: The rules of this kind of summary; raises BadAnswer.
        setting: The talk's user, time zone and language, for the grounding of names and numbers.
    """

    def ask(so_far: A | None, portion: Sequence[Message]) -> A:
        answered = llm.ask(prompt.question(about, material(so_far, portion, own_texts)), check)
        answer = grounded(llm, answered.answer, so_far, portion, own_texts, setting)
        return with_rest(so_far, answer) if answered.cut else answer

    return ask


def update_summary(
    ask: AskPortion[A], so_far: A | None, messages: Sequence[Message], own_texts: Mapping[UUID, str]
) -> SummaryUpdate[A]:
    """Take messages into a summary.

    A portion with a failed call is divided (`ask_in_turn`). A message to which no answer is valid is passed over.

    Args:
        ask: Asks the model for the new summary.
        so_far: The summary up to now.
        messages: The messages since, in order.
        own_texts: Their texts with the words of contexts blanked.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `LlmSession.ask`; the caller keeps the messages for later.
    """
    result = SummaryUpdate(so_far)
    worded = [message for message in messages if own_texts[message.message_id].strip()]

    def take_in(portion: Sequence[Message], _: bool) -> None:
        result.summary = ask(result.summary, portion)
        result.changed = True

    portions: list[Sequence[Message]] = [*split_messages(worded, own_texts)]
    left = ask_in_turn(portions, take_in, halves)
    result.faults = [fault for _, fault in left]
    return result


def grounded(
    llm: LlmSession,
    answer: A,
    so_far: Summary | None,
    messages: Sequence[Message],
    own_texts: Mapping[UUID, str],
    setting: Setting,
) -> A:
    """The summary without lines and sentences that have a name or number which it was not made of; these are counted.

    The tone is how a conversation felt, and is not checked.

    Raises:
        BadAnswer: A text of nothing but such sentences is all that the summary has.
    """
    before = [] if so_far is None else [("\n".join(texts_in(so_far.model_dump())), None)]
    texts = [(own_texts[one.message_id], one.created_at) for one in messages]
    ground = setting.of_texts([*texts, *before], known={one.speaker for one in messages if one.speaker})
    dropped = Counter[str]()
    kept: dict[str, str | list[str]] = {}
    for name, stated in answer:
        if name in UNCHECKED or not isinstance(stated, str | list):
            continue
        lines = sentences(stated) if isinstance(stated, str) else stated
        faults = [ground.faults(unescaped(line), [("person", line)] if name == "people" else ()) for line in lines]
        dropped.update(fault for of_line in faults for fault in of_line[:1])
        left = [line for line, of_line in zip(lines, faults, strict=True) if not of_line]
        kept[name] = " ".join(left) if isinstance(stated, str) else left
    llm.count_dropped("summaries", dropped)
    if dropped and not any(kept.values()):
        raise BadAnswer("No sentence of the summary stands in what it was made of.")
    return answer.model_copy(update=kept) if dropped else answer


def with_rest(so_far: A | None, summary: A) -> A:
    """Complete a summary with a cut-off end by the lists and texts of the one before it."""
    if so_far is None:
        return summary
    rest: dict[str, str | list[str]] = {}
    for name, earlier in so_far:
        lines = getattr(summary, name)
        rest[name] = (
            list(dict.fromkeys([*lines, *earlier]))[: max(len(lines), len(earlier))]
            if isinstance(lines, list)
            else lines or earlier
        )
    return summary.model_copy(update=rest)


def material(
    so_far: Summary | None,
    messages: Sequence[Message],
    own_texts: Mapping[UUID, str],
    refs: Mapping[UUID, str] = NO_REFS,
    own: Mapping[UUID, str] = NO_REFS,
) -> str:
    """The material part of the prompt: the summary up to now, fenced, then the transcript of the messages since."""
    before = [] if so_far is None else [tagged("so-far", so_far.model_dump_json())]
    return "\n".join([*before, transcript(messages, own_texts, refs, own)])


def check_lines(name: str, lines: Sequence[str], most: int) -> None:
    """Check the number and lengths of the lines in one list of a summary.

    Raises:
        BadAnswer: There are more than `most` lines, or one is longer than 300 characters.
    """
    if len(lines) > most:
        raise BadAnswer(f"`{name}` has {len(lines)} items, and may have {most}.")
    if any(len(line) > SUMMARY_LINE_CHARACTERS for line in lines):
        raise BadAnswer(f"An item of `{name}` is longer than {SUMMARY_LINE_CHARACTERS} characters.")
