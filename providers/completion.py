"""A completion: a model's text and its usage of tokens."""

from dataclasses import dataclass


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

    `text` is one JSON object, or the text in its place (`json_text.answer_text`); in a BadAnswer it is raw.
    """

    text: str
    model: str
    usage: Usage
