"""A planner and a writer that know the right answers, and err in many ways; each seed errs elsewhere."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from samples.canned.asking_policy import sources
from samples.canned.material import Material
from tests.integration.asking.conftest import NO_PLAN, sentence
from tests.integration.asking.questions import JOBS, PEOPLE, PLACES, STRANGERS, THINGS, Asked

NAMES = (*PEOPLE, *STRANGERS, *PLACES, "Wrexley", "Ostrander", "Pip Marchetti", "Lisbon", "Anna")
INVENTED = (
    "{name} told me so last winter",
    "I never said that {name} was here",
    "we all went to {place} with {name}",
    "{name} bought {number} of them in {place}",
    "the {thing} is in the cellar of {name}",
)
NO_ANSWERS = ("", "I can't say.", "```json\n{\n", '{"error": "unsure"}', '{"sentences": "none"}')
NO_NAMES = frozenset({"Since", "January", "February", "March", "April", "May", "June", "Latin"})
Draft = dict[str, Any]


@dataclass(frozen=True)
class Written:
    """The writer's answer: whether all of it is right, and the wrong sentences in it."""

    right: bool
    wrong: Sequence[str] = ()


class Erring:
    """The planner and the writer.

    Args:
        questions: The questions with their answers.
        seed: Another seed errs elsewhere.
    """

    def __init__(self, questions: Sequence[Asked], seed: int) -> None:
        self._questions: Mapping[str, Asked] = {one.question: one for one in questions}
        self._seed = seed
        self.written: dict[str, Written] = {}

    def plan(self, material: Material) -> Draft | str:
        """Say what to look for: something, nothing, nonsense, or no JSON."""
        question = material.one("question")
        rng = self._rng(question, "plan")
        name = rng.choice(NAMES)
        return rng.choice(
            [
                NO_PLAN,
                {**NO_PLAN, "names": re.findall(r"\b[A-Z]\w+", question)[1:]},
                {**NO_PLAN, "queries": [question.lower(), name], "names": [name, name, ""]},
                {**NO_PLAN, "since": "2026-02-30", "until": "soon", "counts": [{"any_of": [name]}, {"any_of": []}]},
                {**NO_PLAN, "since": "2026-01-01", "until": "2026-12-31", "counts": [{"any_of": ["the", "clocks"]}]},
                {"queries": name},
                rng.choice(NO_ANSWERS),
            ]
        )

    def answer(self, material: Material) -> Draft | str:
        """Write the right answer, one of its perturbations, or something about another matter."""
        question = material.one("question")
        rng, asked = self._rng(question, "answer"), self._questions[question]
        refs = {one.text.strip(): one.ref for one in sources(material)}
        right = [
            (text, [(self._ref(refs, asked.told[place]["content"]), words) for place, words in cites])
            for text, cites in asked.right
        ]
        if not right or not all(ref for _, cites in right for ref, _ in cites):
            wrong = [_invented(rng, refs) for _ in range(rng.randint(0, 3))]
            self.written[question] = Written(right=False, wrong=[one["sentence"] for one in wrong])
            return {"sentences": wrong}
        drafts = [sentence(text, *cites) for text, cites in right]
        if rng.random() < 0.35:
            self.written[question] = Written(right=True)
            return {"sentences": drafts}
        if rng.random() < 0.05:
            self.written[question] = Written(right=False)
            return rng.choice(NO_ANSWERS)
        spoilt = [rng.choice(PERTURBED)(rng, json.loads(json.dumps(one)), refs) for one in drafts]
        self.written[question] = Written(right=False, wrong=[one["sentence"] for one in spoilt])
        return {"sentences": spoilt}

    def _rng(self, question: str, purpose: str) -> random.Random:
        return random.Random(f"{self._seed} {purpose} {question}")

    @staticmethod
    def _ref(refs: Mapping[str, str], content: str) -> str:
        return refs.get(content.strip(), "")


def _other(rng: random.Random, known: str, pool: Sequence[str]) -> str:
    return rng.choice([one for one in pool if one not in known])


def _wrong_name(rng: random.Random, draft: Draft, _: Mapping[str, str]) -> Draft:
    quoted = " ".join(cite["quote"] for cite in draft["cites"])
    name = rng.choice([word for word in re.findall(r"\b[A-Z]\w+", draft["sentence"]) if word not in NO_NAMES])
    draft["sentence"] = draft["sentence"].replace(name, _other(rng, quoted + draft["sentence"], NAMES))
    return draft


def _other_number(rng: random.Random, draft: Draft, refs: Mapping[str, str]) -> Draft:
    numbers = re.findall(r"\d+", draft["sentence"])
    if not numbers:
        return _wrong_name(rng, draft, refs)
    number = rng.choice(numbers)
    other = str(int(number) + rng.choice([40, 57, 100, 313]))
    draft["sentence"] = re.sub(rf"\b{number}\b", other, draft["sentence"], count=1)
    return draft


def _invented_quote(rng: random.Random, draft: Draft, _: Mapping[str, str]) -> Draft:
    rng.choice(draft["cites"])["quote"] = _phrase(rng)
    return draft


def _quote_of_another(rng: random.Random, draft: Draft, refs: Mapping[str, str]) -> Draft:
    cite = rng.choice(draft["cites"])
    others = [ref for text, ref in refs.items() if cite["quote"] not in text] + ["e99", "m1", ""]
    cite["ref"] = rng.choice(others)
    return draft


def _paraphrased(rng: random.Random, draft: Draft, _: Mapping[str, str]) -> Draft:
    cite = rng.choice(draft["cites"])
    words = cite["quote"].split()
    place = rng.randrange(len(words) - 1)
    match rng.randrange(4):
        case 0:
            words[place], words[place + 1] = words[place + 1], words[place]
        case 1:
            words.insert(place + 1, rng.choice(["never", "really", "not", "old"]))
        case 2:
            words[place + 1] = rng.choice(["somewhere", "perhaps", "another", "whatever"])
        case _:
            words = [*words, rng.choice(["and", "but"]), *_phrase(rng).split()]
    cite["quote"] = " ".join(words)
    return draft


def _mixed_up(rng: random.Random, draft: Draft, refs: Mapping[str, str]) -> Draft:
    cited = {cite["ref"] for cite in draft["cites"]}
    others = [(text, ref) for text, ref in refs.items() if ref not in cited]
    if not others:
        return _invented_quote(rng, draft, refs)
    text, ref = rng.choice(others)
    draft["cites"] = [{"ref": ref, "quote": text}]
    return draft


def _uncited(_: random.Random, draft: Draft, __: Mapping[str, str]) -> Draft:
    return draft | {"cites": []}


def _quoting_itself(_: random.Random, draft: Draft, __: Mapping[str, str]) -> Draft:
    draft["sentence"] += " So it was."
    draft["cites"][0]["quote"] = draft["sentence"]
    return draft


PERTURBED = (
    _wrong_name,
    _wrong_name,
    _other_number,
    _other_number,
    _invented_quote,
    _quote_of_another,
    _paraphrased,
    _paraphrased,
    _mixed_up,
    _uncited,
    _quoting_itself,
)


def _phrase(rng: random.Random) -> str:
    return rng.choice(INVENTED).format(
        name=rng.choice(NAMES), place=rng.choice(PLACES), number=rng.randint(3, 99), thing=rng.choice(THINGS)
    )


def _invented(rng: random.Random, refs: Mapping[str, str]) -> Draft:
    """A sentence that nothing says, with words of a source, with words of none, or without any."""
    name = _other(rng, " ".join(refs), ["Zebulon", "Ostrander", "Wrexley"])
    told = f"{rng.choice(NAMES)} is called {name}, {_phrase(rng)}."
    text, ref = rng.choice(list(refs.items()) or [("", "e1")])
    return rng.choice(
        [
            sentence(told, (ref, text)),
            sentence(told, (ref, told)),
            sentence(told, (ref, " ".join(text.split()[:3]))),
            sentence(told, ("e1", _phrase(rng))),
            sentence(told),
            sentence(f"The {rng.choice(JOBS)} of {rng.choice(STRANGERS)} was there.", (ref, text)),
        ]
    )
