"""Asks about material in portions, and makes a portion smaller about which the model gives no whole answer.

A portion is divided where it is too long for the model's context, which costs nothing, and where the answer is cut off
at its length limit. Portions that are asked about in turn are divided as well where no answer is valid, until the item
that causes it stands alone.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from memory.llm.session import Check, LlmSession, Unanswered, ValidAnswer
from providers.errors import BadAnswer, InputRefused
from providers.thinking import Question

A = TypeVar("A", bound=BaseModel)
P = TypeVar("P")
T = TypeVar("T")

Fault = BadAnswer | InputRefused

# Bisection finds one item among 50 in eight failures; more in a row have another cause than one item.
MOST_FAILURES = 9
# A portion with a cut-off answer is divided, and so are its halves; of quarters the whole items of the answer count.
MOST_CUTS = 2


def halves(items: Sequence[T]) -> list[Sequence[T]]:
    """The halves of a portion, or none if it is one item."""
    middle = len(items) // 2
    return [items[:middle], items[middle:]] if middle else []


def is_too_long(fault: object) -> bool:
    """Whether a smaller portion may be answered: this one exceeds the model's context, or its answer its limit."""
    if isinstance(fault, InputRefused):
        return fault.too_large
    return isinstance(fault, BadAnswer) and fault.why == "truncation"


def ask_in_turn(
    portions: Iterable[P],
    ask: Callable[[P, bool], None],
    divided: Callable[[P], Sequence[P]],
    *,
    only_too_long: bool = False,
) -> list[tuple[P, Fault]]:
    """Ask about one portion after the other.

    After nine failures in a row the rest is not asked about. That a portion which can be divided is too long for the
    context is no failure.

    Args:
        portions: The portions of the material.
        ask: Asks about a portion, and takes the answer. Its second argument is whether the portion is divided if the
            answer is cut off.
        divided: The smaller portions to ask about in the place of one, in order; none if it can't be smaller.
        only_too_long: Whether a portion is not divided because no answer to it is valid.

    Returns:
        The portions without an answer that are not divided, each with the reason.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `LlmSession.ask`.
    """
    waiting = deque((portion, 0) for portion in portions)
    left: list[tuple[P, Fault]] = []
    in_a_row = 0
    last: Fault | None = None
    while waiting:
        portion, cuts = waiting.popleft()
        if in_a_row == MOST_FAILURES and last:
            left.append((portion, last))
            continue
        parts = divided(portion)
        try:
            ask(portion, bool(parts) and cuts < MOST_CUTS)
        except (BadAnswer, InputRefused) as fault:
            # The traceback would keep its frames, and with them every text, in memory.
            last = fault.with_traceback(None)
            parts = () if only_too_long and not is_too_long(fault) else parts
            cuts += isinstance(fault, BadAnswer) and is_too_long(fault)
            waiting.extendleft((part, cuts) for part in reversed(parts))
            if not parts:
                left.append((portion, last))
            in_a_row += not (parts and isinstance(fault, InputRefused) and fault.too_large)
        else:
            in_a_row = 0
    return left


def ask_at_once(
    llm: LlmSession,
    portions: Sequence[P],
    question: Callable[[P], tuple[Question[A], Check[A]]],
    divided: Callable[[P], Sequence[P]],
) -> list[tuple[P, ValidAnswer[A] | Unanswered]]:
    """Ask about portions concurrently, and then about the parts of those that are too long.

    A part with a cut-off answer is not divided further: the whole items of the answer count.

    Args:
        portions: The portions of the material.
        question: The question about a portion, and the validation of its answer.
        divided: See `ask_in_turn`.

    Returns:
        The portions, or the parts of divided ones, each with its answer, or why it has none.

    Raises:
        ProviderError: As `LlmSession.ask_all`.
    """
    parts_of = [divided(portion) for portion in portions]
    answers = llm.ask_all(
        [
            (replace(portion_question, divisible=bool(parts)), check)
            for (portion_question, check), parts in zip(map(question, portions), parts_of, strict=True)
        ]
    )
    answered: list[tuple[P, ValidAnswer[A] | Unanswered]] = []
    for portion, parts, answer in zip(portions, parts_of, answers, strict=True):
        if parts and is_too_long(answer):
            further: Callable[[Any], Sequence[Any]] = divided if isinstance(answer, InputRefused) else _never_divided
            answered += ask_at_once(llm, parts, question, further)
        else:
            answered.append((portion, answer))
    return answered


def _never_divided(_: object) -> Sequence[Any]:
    return ()
