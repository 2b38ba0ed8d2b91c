"""Classifies nodes that match no topic as Business or Private with a small model (patrol seed, ❶)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from uuid import UUID

from memory.llm.portions import ask_at_once, halves
from memory.llm.prompting import prompt
from memory.llm.session import Check, LlmSession, ValidAnswer
from memory.text.prompt_escaping import tagged
from providers.errors import BadAnswer
from providers.thinking import Question
from schemas.limits import CLASSIFIED_NODES
from schemas.nodes.nodes import Root
from schemas.patrol.model_answers import Classification

CLASSIFY = prompt("classify", Classification, size="small", most_tokens=2_000)
ACTION_CHARACTERS = 300


def material(actions: Mapping[str, str]) -> str:
    """Render actions for the prompt, by reference."""
    return "\n".join(
        tagged("memory", action[:ACTION_CHARACTERS], ref=reference) for reference, action in actions.items()
    )


def check(actions: Mapping[str, str], answer: Classification) -> None:
    """Validate an answer against the actions that were sent.

    Raises:
        BadAnswer: It names an unknown reference, or one twice.
    """
    named = Counter([*answer.business, *answer.private])
    faults = []
    if unknown := named.keys() - actions.keys():
        faults.append(f"The answer names {len(unknown)} memories that are not there: use only the references given.")
    if twice := sorted(reference for reference, times in named.items() if times > 1 and reference in actions):
        faults.append(f"Each memory is named once, and these are named more often: {', '.join(twice)}.")
    if faults:
        certain = {reference for reference, times in named.items() if times == 1} & actions.keys()
        business, private = ([each for each in of if each in certain] for of in (answer.business, answer.private))
        valid = Classification(business=business, private=private) if certain else None
        raise BadAnswer(" ".join(faults), valid=valid)


def _question(page: Sequence[tuple[UUID, str]]) -> tuple[Question[Classification], Check[Classification]]:
    actions = {f"m{number}": action for number, (_, action) in enumerate(page, start=1)}
    return CLASSIFY.question("", material(actions)), partial(check, actions)


def classify(llm: LlmSession, unassigned: Sequence[tuple[UUID, str]]) -> dict[UUID, Root]:
    """Classify nodes, CLASSIFIED_NODES in one question.

    Args:
        unassigned: The nodes' ids and actions.

    Returns:
        The root of each node that the answers classify.

    Raises:
        ProviderError: The model is unavailable.
    """
    pages = [unassigned[start : start + CLASSIFIED_NODES] for start in range(0, len(unassigned), CLASSIFIED_NODES)]
    roots: dict[UUID, Root] = {}
    for page, answer in ask_at_once(llm, pages, _question, halves):
        if isinstance(answer, ValidAnswer):
            ids = {f"m{number}": node_id for number, (node_id, _) in enumerate(page, start=1)}
            roots |= {ids[reference]: "Business" for reference in answer.answer.business}
            roots |= {ids[reference]: "Private" for reference in answer.answer.private}
    return roots
