"""A completion: what a model wrote, and what it used."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

Tokens = Annotated[int, Field(ge=0, le=1_000_000_000)]
"""A token count as a provider reports it; counts out of range make the response invalid."""

ModelName = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f]*$")]
"""A model's name as a provider reports it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one call, each counted once: `input_tokens` excludes tokens read from or written to a cache."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def prompt_tokens(self) -> int:
        """All tokens of the prompt, cached or not."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer and its usage.

    `text` is one JSON object, or what a model wrote in its place (`json_text.answer_text`); in a BadAnswer it is raw.
    """

    text: str
    model: str
    usage: Usage
