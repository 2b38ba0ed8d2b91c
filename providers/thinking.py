"""The interface of a thinker (LLM): it answers a question with JSON that follows a schema."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ValidationError

from providers.answers.answer_reader import AnswerReader
from providers.answers.answer_schema import answer_schema
from providers.answers.json_text import answer_values
from providers.completion import Completion, Usage
from providers.errors import TRUNCATED, BadAnswer, ProviderError
from providers.tokens import estimated_tokens
from schemas.llm.calls import Provider
from schemas.text.storable import unstorable

A = TypeVar("A", bound=BaseModel)

Size = Literal["large", "small"]
"""The large model for judgement, or the small one for frequent simple questions."""

PromptForm = Literal["full", "short"]
"""The form of a question's instructions."""

# A server that accepts no connection for so long is out of reach, however long an answer may take.
CONNECT_SECONDS = 10.0
_MOST_FAULTS = 10


@dataclass(frozen=True, slots=True)
class Question(Generic[A]):
    """One question to a model, its parts ordered from constant to new for the provider's prompt cache.

    Args:
        purpose: The prompt's name, under which calls are accounted.
        size: The large model or the small one.
        instructions: The task, the same for all Beings.
        about: The Being's description, the same for all its questions; may be empty.
        material: The input of this question, with untrusted text escaped.
        answer: The answer's schema. It may have no mapping with free keys; use a list of pairs.
        most_tokens: The limit of the answer's length, without the tokens of thinking.
        short: A short form of the instructions, for models with little context; empty: there is none.
        divisible: Whether the caller asks about parts of the material where an answer about all of it is cut off.
    """

    purpose: str
    size: Size
    instructions: str
    about: str
    material: str
    answer: type[A]
    most_tokens: int
    short: str = ""
    divisible: bool = False

    def instructions_in(self, form: PromptForm) -> str:
        """Return the instructions in one of their forms."""
        return self.short if form == "short" and self.short else self.instructions


class Thinker(Protocol):
    """A provider's models with one key; thread-safe."""

    @property
    def provider(self) -> Provider:
        """The provider: `anthropic` or `openai`."""

    def model(self, size: Size) -> str:
        """Return the name of the model that answers questions of this size."""

    def ask(self, question: Question[Any]) -> Completion:
        """Send one request, without retries.

        Returns:
            The model's text, which `read` has yet to validate; its end may be cut off.

        Raises:
            Transient: The provider is busy, down or unreachable.
            BadAnswer: The model declined, was truncated before it said anything whole, or wrote no JSON; its
                `completion` has been paid for.
            InputRefused: The provider refuses this question.
            Misconfigured: The key, the address or the model's name is wrong.
        """

    def stream(self, question: Question[Any]) -> Iterator[Completion]:
        """Send one request, and read its answer as it comes; a server that sends no stream is read when it has ended.

        Closing the iterator ends the request, so that the provider stops writing.

        Returns:
            The text so far, again and again, with its usage until then; and at last the result of `ask`. Where the
            provider breaks off, the text until then is an answer that is cut off.

        Raises:
            ProviderError: As `ask`; of one that breaks off before it wrote anything, Transient.
        """


@runtime_checkable
class BatchThinker(Protocol):
    """A thinker with provider batches, at half the price; not every provider offers them."""

    def submit(self, questions: Sequence[tuple[str, Question[Any]]]) -> str:
        """Submit a batch.

        Args:
            questions: Each with an id unique in the batch: 1 to 64 ASCII letters, digits, `_` and `-`.

        Returns:
            The provider's id of the batch.

        Raises:
            ProviderError: As with `ask`. Nothing was submitted, except that a timeout leaves it unknown.
        """

    def collect(self, batch_id: str) -> Mapping[str, Completion | ProviderError] | None:
        """Fetch the results of a batch; may be repeated.

        Returns:
            None while the batch is in progress; then for each id the completion or the error. A question that expired
            or was cancelled is Transient: it was not charged, and may be asked directly.

        Raises:
            ProviderError: The request failed; Misconfigured if the provider knows no such batch.
        """

    def cancel(self, batch_id: str) -> None:
        """Have a batch end early; it is in progress until then. May be repeated; has no effect on an ended batch.

        Questions that the provider has answered, or is answering, are charged and in the results; the others are not.

        Raises:
            ProviderError: As with `collect`.
        """


@dataclass(frozen=True, slots=True)
class Reading(Generic[A]):
    """An answer in the form that was asked for.

    Attributes:
        answer: The answer.
        dropped: How many of its items could not be read, by reason.
        cut: Whether its end is cut off.
    """

    answer: A
    dropped: Counter[str]
    cut: bool = False


def read(question: Question[A], completion: Completion, *, shorten: bool = False) -> Reading[A]:
    """Read a completion in the form of the question's schema (`answer_reader`).

    Args:
        question: The question.
        completion: The model's answer.
        shorten: Whether texts that are longer than their form allows are cut at a sentence.

    Raises:
        BadAnswer: It violates the schema, or has a number that Postgres cannot store. The message can be shown to the
            model, and quotes nothing of the completion.
    """
    # Of a summary that is cut off its whole sentences are one.
    is_one_text = [field.annotation for field in question.answer.model_fields.values()] == [str]
    parsed, cut = answer_values(completion.text, keep_cut=is_one_text)
    reader = AnswerReader(cut=cut, shorten=shorten)
    try:
        answer = question.answer.model_validate(reader.read(question.answer, parsed))
    except ValidationError as error:
        if cut:
            raise BadAnswer(TRUNCATED, completion=completion, why="truncation") from None
        raise BadAnswer(_complaint(_faults(error)), completion=completion) from None
    if faults := list(unstorable(answer.model_dump(mode="json"))):
        raise BadAnswer(_complaint(faults), completion=completion)
    return Reading(answer, reader.dropped, cut)


def max_usage(question: Question[Any], room: int) -> Usage:
    """Estimate an upper bound of a call's usage.

    Args:
        question: The question.
        room: The tokens that the model may use for thinking.
    """
    stable = f"{question.instructions}{question.about}{answer_schema(question.answer)}"
    return Usage(
        input_tokens=estimated_tokens(question.material),
        output_tokens=question.most_tokens + room,
        cache_write_tokens=estimated_tokens(stable),
    )


def _complaint(faults: Sequence[str]) -> str:
    more = f"; and {len(faults) - _MOST_FAULTS} more" if len(faults) > _MOST_FAULTS else ""
    return f"The answer does not follow its schema: {'; '.join(faults[:_MOST_FAULTS])}{more}."


def _faults(error: ValidationError) -> list[str]:
    faults = []
    for fault in error.errors(include_url=False, include_input=False, include_context=False):
        path, rule = fault["loc"], fault["msg"]
        match fault["type"]:
            case "extra_forbidden":
                # The model invented the name, perhaps from untrusted text: do not repeat it.
                path, rule = path[:-1], "has a field that the schema does not have"
            case "union_tag_invalid":
                rule = "is of a kind that the schema does not have"
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
        faults.append(f"{place}: {rule}".removeprefix(": "))
    return list(dict.fromkeys(faults))
