"""What a thinker is: asked a question whose answer has a form, it says that answer as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, Field, ValidationError

from providers.answer_schema import answer_schema
from providers.errors import BadAnswer, ProviderError
from providers.tokens import estimated_tokens
from schemas.keepable import unkeepable

A = TypeVar("A", bound=BaseModel)

Size = Literal["large", "small"]
"""Which model: the one for what takes judgement, or the one for what is asked often and easily."""

Tokens = Annotated[int, Field(ge=0, le=1_000_000_000)]
"""How many tokens a provider says that a call had; what can't be, or a database can't hold, is no answer."""

ModelName = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f]*$")]
"""What a provider says that its model is called."""

_MOST_FAULTS = 10


@dataclass(frozen=True, slots=True)
class Question(Generic[A]):
    """One question to a model, from what is always the same to what is new: that order is what a cache lives on.

    Args:
        purpose: What it is asked for, in a word, for the accounts.
        size: Which model is to answer.
        instructions: What to do, the same for everybody.
        about: What stays the same for one Being from question to question; may be empty.
        material: What this question is about; everything in it that is not ours is fenced.
        answer: The form of the answer. No field of it may be a mapping with free keys: a list of pairs serves.
        most_tokens: The longest answer, not counting what the model thinks before it.
    """

    purpose: str
    size: Size
    instructions: str
    about: str
    material: str
    answer: type[A]
    most_tokens: int


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one call; each is counted once: what a cache held or keeps is not in `input_tokens`."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def prompt_tokens(self) -> int:
        """Everything that was read, from wherever."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


@dataclass(frozen=True, slots=True)
class Said:
    """What a model said, and what it used. `text` is the JSON as it came; beside a BadAnswer, whatever came."""

    text: str
    model: str
    usage: Usage


class Thinker(Protocol):
    """A provider's models behind one key; shared by a process's threads."""

    @property
    def provider(self) -> str:
        """Who it is: `anthropic` or `openai`."""

    def model(self, size: Size) -> str:
        """Return the name of the model that answers questions of this size."""

    def ask(self, question: Question[Any]) -> Said:
        """Ask once, without a retry.

        Returns:
            One JSON object, in a form that `read` has yet to check.

        Raises:
            Transient: The provider is busy, down or out of reach.
            BadAnswer: It declined, broke off, or said no JSON object; `said` tells what was paid for.
            InputRefused: The provider won't take this question.
            Misconfigured: The key, the address or the model's name won't do.
        """


@runtime_checkable
class BatchThinker(Protocol):
    """A thinker that also takes many questions for later, at half the price. Not every provider has it."""

    def submit(self, questions: Sequence[tuple[str, Question[Any]]]) -> str:
        """Hand in questions.

        Args:
            questions: Each with an id that is its own in this batch: 1 to 64 of ASCII letters, digits, `_` and `-`.

        Returns:
            The provider's id of the batch.

        Raises:
            ProviderError: As with `ask`; nothing was handed in, unless a Transient came too late to tell.
        """

    def collect(self, batch_id: str) -> Mapping[str, Said | ProviderError] | None:
        """Fetch what came of a batch; may be repeated.

        Returns:
            None while it is in progress; then, for each id, what was said or what went wrong. A question that ran out
            of time or was cancelled is Transient: nothing was paid, and it may be asked directly.

        Raises:
            ProviderError: The provider could not be asked; Misconfigured if it knows no such batch.
        """


def read(question: Question[A], said: Said) -> A:
    """Read an answer in the form that was asked for.

    Raises:
        BadAnswer: It has another form, or text that can't be kept. The message is about the form, in words that the
            model can be told, and repeats nothing of what was said.
    """
    try:
        answer = question.answer.model_validate_json(said.text)
    except ValidationError as error:
        raise BadAnswer(_complaint(_faults(error)), said=said) from None
    if faults := list(unkeepable(answer.model_dump(mode="json"))):
        raise BadAnswer(_complaint(faults), said=said)
    return answer


def most_usage(question: Question[Any], room: int) -> Usage:
    """Estimate, rather too high, what a call may use.

    Args:
        question: What will be asked.
        room: How many tokens the model may think before it answers.
    """
    stable = f"{question.instructions}{question.about}{answer_schema(question.answer)}"
    return Usage(
        input_tokens=estimated_tokens(question.material),
        output_tokens=question.most_tokens + room,
        cache_write_tokens=estimated_tokens(stable),
    )


def _complaint(faults: Sequence[str]) -> str:
    more = f"; and {len(faults) - _MOST_FAULTS} more" if len(faults) > _MOST_FAULTS else ""
    return f"The answer does not have the form that was asked for: {'; '.join(faults[:_MOST_FAULTS])}{more}."


def _faults(error: ValidationError) -> list[str]:
    faults = []
    for fault in error.errors(include_url=False, include_input=False, include_context=False):
        path, rule = fault["loc"], fault["msg"]
        match fault["type"]:
            case "extra_forbidden":
                # The model made the name up, perhaps from what it was told.
                path, rule = path[:-1], "has a field that the form does not know"
            case "union_tag_invalid":
                rule = "is of a kind that the form does not know"
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
        faults.append(f"{place}: {rule}".removeprefix(": "))
    return list(dict.fromkeys(faults))
