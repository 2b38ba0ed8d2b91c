"""A thinker that repeats the recorded answers of a run, so that a replay is deterministic."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from memory.llm.call_ledger import prompt_hash
from providers.completion import Completion, Usage
from providers.errors import BadAnswer, InputRefused, Misconfigured
from providers.thinking import Question, Size
from schemas.patrol.runs import Run
from store.transaction import Transaction

# The purposes of each step's calls, and for mechanical steps the count that shows whether an answer was used.
STEPS = {"consolidate": "consolidate", "split": "split", "diary": "diary", "classify": "assign", "repair": "embed"}
TAKEN = {"assign": "told", "embed": "repaired"}


class RecordedThinkers:
    """Thinkers that always return the recorded one.

    Args:
        run: The run as it was lived.
        said: Its answers, by the hashes of the questions: the text, and its defect.
    """

    def __init__(self, run: Run, said: Mapping[bytes, tuple[str, str | None]]) -> None:
        self._run = run
        self._said = said
        self.provider = "anthropic"

    def platform(self) -> "RecordedThinkers":
        """Return the one thinker."""
        return self

    def model(self, size: Size) -> str:
        """Return the model's name."""
        return size

    def ask(self, question: Question[Any]) -> Completion:
        """Return the recorded answer.

        Raises:
            Misconfigured: The step went on without, whatever had been said to it before.
            BadAnswer: As then.
            InputRefused: Nothing was said to this question.
        """
        step = STEPS[question.purpose]
        did = self._run.steps.get(step, {})
        if did.get("outcome") == "skipped" or did.get(TAKEN.get(step, "outcome"), "skipped") in {0, "skipped"}:
            raise Misconfigured(f"{step} went on without a model.")
        text, fault = self._said.get(prompt_hash(question), (None, None))
        if text is None:
            raise InputRefused("no recorded call has this question")
        said = Completion(text, "recorded", Usage())
        if fault is not None:
            raise BadAnswer(fault, completion=said)
        return said


def recorded_thinkers(tx: Transaction, being_id: UUID, run: Run) -> RecordedThinkers:
    """Find the recorded answers of a run."""
    rows = tx.execute(
        "select prompt_hash, completion, defect from memory.model_responses where owner_id = %s and key = %s",
        [being_id, str(run.run_id)],
    )
    return RecordedThinkers(run, {row["prompt_hash"]: (row["completion"], row["defect"]) for row in rows})
