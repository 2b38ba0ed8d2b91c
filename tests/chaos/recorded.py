"""What models said in a run that was lived, said again: a replay asks nobody, so nobody fails it or says otherwise."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from memory.bookkeeping import prompt_hash
from providers.errors import BadAnswer, InputRefused, Misconfigured
from providers.thinking import Question, Said, Size, Usage
from schemas.rows import Run
from store.transaction import Transaction

# Which step asks for what; and of the mechanical steps, which count tells that they took an answer.
STEPS = {"consolidate": "consolidate", "split": "split", "diary": "diary", "classify": "assign", "repair": "embed"}
TAKEN = {"assign": "told", "embed": "repaired"}


class RecordedThinkers:
    """The one thinker, whatever the settings ask for.

    Args:
        run: The run as it was lived.
        said: What was said in it, by the hashes of the questions: the text, and what was wrong with it.
    """

    def __init__(self, run: Run, said: Mapping[bytes, tuple[str, str | None]]) -> None:
        self._run = run
        self._said = said
        self.provider = "anthropic"

    def platform(self) -> "RecordedThinkers":
        """Return the one thinker."""
        return self

    def model(self, size: Size) -> str:
        """Return a name."""
        return size

    def ask(self, question: Question[Any]) -> Said:
        """Say what was said then.

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
            raise InputRefused("nobody was asked this")
        said = Said(text, "recorded", Usage())
        if fault is not None:
            raise BadAnswer(fault, said=said)
        return said


def recorded_thinkers(tx: Transaction, being_id: UUID, run: Run) -> RecordedThinkers:
    """Find what was said in a run."""
    rows = tx.execute(
        "select prompt_hash, said, fault from memory.model_responses where owner_id = %s and key = %s",
        [being_id, str(run.run_id)],
    )
    return RecordedThinkers(run, {row["prompt_hash"]: (row["said"], row["fault"]) for row in rows})
