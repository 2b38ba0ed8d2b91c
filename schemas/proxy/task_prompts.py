"""The prompts with which an operator's frontends make requests for themselves."""

import re
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

PLACEHOLDER = re.compile(r"\{\{[^{}]*\}\}|\{\w*\}")
"""A part of a template that stands for any text in a prompt."""

# A prompt with less text of its own would be what people say too.
LEAST_CHARACTERS = 20


def _telling(prompts: tuple[str, ...]) -> tuple[str, ...]:
    for prompt in prompts:
        if len("".join(PLACEHOLDER.sub("", prompt).split())) < LEAST_CHARACTERS:
            raise PydanticCustomError(
                "task_prompt", "Each prompt must have 20 characters at least besides its placeholders"
            )
    return prompts


TaskPrompts = Annotated[tuple[str, ...], AfterValidator(_telling)]
"""Prompts. A request that ends with one is a frontend's own."""
