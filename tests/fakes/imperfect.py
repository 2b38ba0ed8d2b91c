"""A model that follows the canned rules, and answers as small models do: in other forms, with errors, and partly cut.

Its answers depend on the seed and the prompt alone, so that a run can be repeated.
"""

import json
import random
from typing import Any

from samples.canned import policy
from samples.canned.wire import Request

GARBAGE, CUT, INVENTED = 0.1, 0.1, 0.2
NO_ANSWERS = ("", "I'm sorry, I can't help with that.", "```json\n{\n", '{"error": "unsure"}', "The answer is above.")
AROUND = ("%s", "```json\n%s\n```", "Sure! Here it is:\n%s\nLet me know.", "<think>First {this}.</think>\n%s")
ENUMERATIONS = frozenset({"realm", "type", "fact_type", "kind", "relation"})
# What is invented, by the list of the answer that it is added to.
INVENTIONS: dict[str, dict[str, Any]] = {
    "facts": {"message": "m1", "span": "I won a prize in Rome", "statement": "Won a prize in Rome."},
    "todos": {"message": "m1", "span": "I must call the moon", "content": "Call the moon."},
    "scenes": {"messages": ["m99"], "action": "They flew to the moon."},
    "merges": {"survivor": "m98", "absorbed": ["m99"], "action": "Both flew to the moon."},
}


class ImperfectModel:
    """A thinker's answer to a request.

    Args:
        seed: Another seed errs elsewhere.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, request: Request) -> str | None:
        """Answer a request."""
        said = policy.answer(request)
        rng = random.Random(f"{self._seed} {request.prompt}")  # no secret depends on it
        if said is None or rng.random() < GARBAGE:
            return None if said is None else rng.choice(NO_ANSWERS)
        answer = _bent(rng, json.loads(said))
        if isinstance(answer, dict) and rng.random() < INVENTED:
            _invent(rng, answer)
        text = rng.choice((json.dumps, _as_python, _with_commas))(answer)
        if rng.random() < CUT:
            return text[: rng.randrange(len(text) // 2, len(text))]
        return rng.choice(AROUND).replace("%s", text)


def _bent(rng: random.Random, value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        bent = {key: _bent(rng, inner, key) for key, inner in value.items()}
        return bent | ({"reasoning": "It says so."} if rng.random() < 0.2 else {})
    if isinstance(value, list):
        items = [_bent(rng, inner, name) for inner in value]
        return rng.choice((items, items[0])) if len(items) == 1 else items or rng.choice(([], None))
    if isinstance(value, str) and name in ENUMERATIONS:
        return rng.choice((value, value.upper(), value.title(), value.replace("-", " ")))
    if isinstance(value, str):
        return rng.choice((value, value, value.replace("'", "\u2019"), value.rstrip(".")))
    return rng.choice((value, f"{value}")) if isinstance(value, float) else value


def _invent(rng: random.Random, answer: dict[str, Any]) -> None:
    for name, invented in INVENTIONS.items():
        items = answer.get(name)
        if isinstance(items, list) and items and isinstance(items[0], dict):
            items.insert(rng.randrange(len(items) + 1), {**items[0], **invented})


def _as_python(answer: Any) -> str:
    return str(answer)


def _with_commas(answer: Any) -> str:
    return json.dumps(answer, indent=1, ensure_ascii=False).replace("}\n", "},\n").removesuffix(",\n")
