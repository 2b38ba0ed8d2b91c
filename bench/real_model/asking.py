"""Questions about the month: what code can't catch in an answer, a negation turned round or roles swapped."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter
from rich.table import Table

from bench.real_model.playing import Player
from memory.asking.answering import AskInputs, ask
from schemas.context.asking import AskAnswer, AskRequest
from store.accounts import beings

QUESTIONS = Path(__file__).parent / "asked.json"


class Wanted(BaseModel):
    """A question, with patterns of its answer, matched without regard to case.

    Attributes:
        question: The question.
        right: The text of a right answer; None: the month does not tell, so that nothing is known.
        turned_round: The text of a wrong answer whose quotations exist.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: str
    right: str | None
    turned_round: str


@dataclass(frozen=True)
class Answered:
    """A question with its answer."""

    wanted: Wanted
    answer: AskAnswer

    @property
    def text(self) -> str:
        """The sentences of the answer, as one text."""
        return " ".join(one.sentence for one in self.answer.answer)

    @property
    def is_turned_round(self) -> bool:
        """Whether it has something the wrong way round."""
        return bool(re.search(self.wanted.turned_round, self.text, re.IGNORECASE))

    @property
    def is_right(self) -> bool:
        """Whether it says what is right, and nothing that is not; or does not know what was not told."""
        if self.wanted.right is None:
            return not self.answer.known
        return bool(re.search(self.wanted.right, self.text, re.IGNORECASE)) and not self.is_turned_round


def asked_of(player: Player) -> list[Answered]:
    """Ask all questions, at the end of the month."""
    being = player.store.run(beings.get_being, player.being.being_id)
    wanted = TypeAdapter(list[Wanted]).validate_json(QUESTIONS.read_text("utf-8"))
    return [
        Answered(
            one,
            ask(
                AskInputs(
                    player.store,
                    player.embedders,
                    player.thinkers,
                    player.settings,
                    being,
                    AskRequest(question=one.question),
                )
            ),
        )
        for one in wanted
    ]


def answers_table(answers: Sequence[Answered]) -> Table:
    """Render how many are right, how many turned round, and how much the check dropped."""
    made = Table("answers", "", "which", title_justify="left")
    wrong = [f"{one.wanted.question} {one.text or '(not known)'}" for one in answers if not one.is_right]
    turned = [one.wanted.question for one in answers if one.is_turned_round]
    made.add_row("right", f"{len(answers) - len(wrong)} of {len(answers)}", "\n".join(wrong))
    made.add_row("negated or swapped", f"{len(turned)}", "\n".join(turned))
    made.add_row("without a model's answer", f"{sum(one.answer.method == 'extract' for one in answers)}", "")
    made.add_row("dropped sentences", f"{sum(sum(one.answer.dropped.values()) for one in answers)}", "")
    return made
