"""Business or Private: a small model says it of memories that no topic takes (patrol seed, ❶)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from uuid import UUID

from memory.fences import fenced
from memory.prompting import prompt
from memory.thinking import Answered, Mind
from providers.errors import BadAnswer
from schemas.limits import CLASSIFIED_NODES
from schemas.patrol_answers import Classification
from schemas.rows import Root

CLASSIFY = prompt("classify", Classification, size="small", most_tokens=2_000)
ACTION_CHARACTERS = 300


def material(actions: Mapping[str, str]) -> str:
    """What happened, by reference, as a model is shown it."""
    return "\n".join(
        fenced("memory", action[:ACTION_CHARACTERS], ref=reference) for reference, action in actions.items()
    )


def check(actions: Mapping[str, str], answer: Classification) -> None:
    """Hold an answer against what was asked.

    Raises:
        BadAnswer: It names an unknown memory, or one twice.
    """
    named = Counter([*answer.business, *answer.private])
    if unknown := named.keys() - actions.keys():
        raise BadAnswer(f"The answer names {len(unknown)} memories that are not there: use only the references given.")
    if twice := sorted(reference for reference, times in named.items() if times > 1):
        raise BadAnswer(f"Each memory is named once, and these are named more often: {', '.join(twice)}.")


def roots_of(mind: Mind, homeless: Sequence[tuple[UUID, str]]) -> dict[UUID, Root]:
    """Ask which root each memory belongs to, many in one question.

    Args:
        mind: Who is asked.
        homeless: The memories, each by its id and what happened.

    Returns:
        The root of each; those that the answers leave out are not in it.

    Raises:
        ProviderError: The model is out of reach.
    """
    pages = [homeless[start : start + CLASSIFIED_NODES] for start in range(0, len(homeless), CLASSIFIED_NODES)]
    asked = [{f"m{number}": action for number, (_, action) in enumerate(page, start=1)} for page in pages]
    answers = mind.ask_each([(CLASSIFY.question("", material(actions)), partial(check, actions)) for actions in asked])
    roots: dict[UUID, Root] = {}
    for page, answer in zip(pages, answers, strict=True):
        if isinstance(answer, Answered):
            ids = {f"m{number}": node_id for number, (node_id, _) in enumerate(page, start=1)}
            roots |= {ids[reference]: "Business" for reference in answer.answer.business}
            roots |= {ids[reference]: "Private" for reference in answer.answer.private}
    return roots
