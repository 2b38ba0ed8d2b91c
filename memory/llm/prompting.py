"""Loads the prompt files, and builds questions from them.

A file in `memory/llm/prompts/` begins with its version and the name of the answer's schema. Then come the instructions,
a short form of them for models with little context (`--- short`), and an example of a whole answer (`--- example` with
the name of its schema), which follows either form. They are sent to the model verbatim, the same for all Beings. After
them come the Being's description and then the material, so that a provider's prompt cache can reuse the longest prefix.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from memory.text.prompt_escaping import tagged
from providers.thinking import Question, Size
from schemas.accounts.accounts import Being
from schemas.context.persona import PersonaEntry, Soul

A = TypeVar("A", bound=BaseModel)

FOLDER = Path(__file__).parent / "prompts"
# Each part of a soul is truncated to this, and so are all relationships together.
SOUL_CHARACTERS = 1_000
_SECTION = re.compile(r"^--- (\w+(?: \w+)?)\n", re.MULTILINE)
_EXAMPLE = """## Example

This shows the form of an answer; you are not given any of it now.

{material}

The whole answer to that:

{answer}
"""


@dataclass(frozen=True)
class Prompt(Generic[A]):
    """One prompt file with its answer schema.

    Attributes:
        purpose: The file's name, under which calls are accounted.
        version: Raised with every change of the instructions.
        size: The large model or the small one.
        answer: The answer's schema.
        most_tokens: The limit of the answer's length.
        instructions: The file's instructions and example.
        short: The short form of the instructions, with the same example.
        example: The material and the answer of the example.
    """

    purpose: str
    version: int
    size: Size
    answer: type[A]
    most_tokens: int
    instructions: str
    short: str
    example: "Example"

    def question(self, about: str, material: str) -> Question[A]:
        """Build a question from a Being's description and the material, both with untrusted text escaped."""
        return Question(
            purpose=self.purpose,
            size=self.size,
            instructions=self.instructions,
            about=about,
            material=material,
            answer=self.answer,
            most_tokens=self.most_tokens,
            short=self.short,
        )


@dataclass(frozen=True)
class Example:
    """An example of a question's material, and the JSON of a whole answer to it."""

    material: str
    answer: str

    @property
    def text(self) -> str:
        """The example as it follows the instructions."""
        return _EXAMPLE.format(material=self.material, answer=self.answer)


def prompt(purpose: str, answer: type[A], *, size: Size, most_tokens: int) -> Prompt[A]:
    """Load a prompt file.

    Raises:
        ValueError: The file names another answer schema.
    """
    file = _read(purpose, answer)
    return _made(purpose, [file], file.version, size, answer, most_tokens)


def extended(base: Prompt[Any], part: str, of: type[BaseModel], answer: type[A], *, most_tokens: int) -> Prompt[A]:
    """Return a prompt that asks for more in the same call; it is accounted under the base's purpose.

    Args:
        base: The prompt that is extended.
        part: The prompt file with the instructions that follow those of the base.
        of: The schema that this file describes, a part of the answer.
        answer: The schema of the whole answer.
        most_tokens: The limit of the whole answer's length.

    Raises:
        ValueError: The file names another schema.
    """
    files = [_read(base.purpose, base.answer), _read(part, of)]
    return _made(base.purpose, files, base.version, base.size, answer, most_tokens)


@dataclass(frozen=True)
class _File:
    version: int
    full: str
    short: str
    examples: Mapping[str, Example]


def _made(
    purpose: str, files: Sequence[_File], version: int, size: Size, answer: type[A], most_tokens: int
) -> Prompt[A]:
    """Join the instructions of some files; the last one has the example of the whole answer."""
    example = files[-1].examples[answer.__name__]
    full, short = ("\n".join([*texts, example.text]) for texts in zip(*((x.full, x.short) for x in files), strict=True))
    return Prompt(purpose, version, size, answer, most_tokens, full, short, example)


def _read(name: str, answer: type[BaseModel]) -> _File:
    _, head, text = (FOLDER / f"{name}.md").read_text(encoding="utf-8").split("---\n", 2)
    header = dict(line.split(": ", 1) for line in head.splitlines())
    if header["answer"] != answer.__name__:
        raise ValueError(f"{name}.md names the answer {header['answer']}, and the code {answer.__name__}.")
    full, *named = _SECTION.split(text)
    sections = dict(zip(named[::2], named[1::2], strict=True))
    examples = {
        title.removeprefix("example "): _example(section)
        for title, section in sections.items()
        if title.startswith("example ")
    }
    return _File(int(header["version"]), _paragraph(full), _paragraph(sections["short"]), examples)


def _example(section: str) -> Example:
    material, answer = section.strip().split("\n\n", 1)
    return Example(material, answer)


def _paragraph(text: str) -> str:
    return text.strip() + "\n"


def about(being: Being, soul: Soul) -> str:
    """Describe a Being briefly: the same bytes until its soul changes, for the prompt cache."""
    return _described(being, soul, ("personality", "voice", "values"))


def whole_persona(being: Being, soul: Soul, relationships: Sequence[PersonaEntry]) -> str:
    """Describe a Being in full, for texts written in its voice: all parts of its soul and its enabled relationships."""
    described = _described(being, soul, ("personality", "voice", "values", "backstory", "inner_world", "examples"))
    left = SOUL_CHARACTERS
    known: list[str] = []
    for each in relationships:
        if each.enabled and len(each.content) <= left:
            known.append(tagged("relationship", each.content, name=each.name))
            left -= len(each.content)
    return "\n".join([described, *known])


def _described(being: Being, soul: Soul, parts: Sequence[str]) -> str:
    texts = {name: getattr(soul, name)[:SOUL_CHARACTERS] for name in parts}
    shown = [tagged(name, text) for name, text in texts.items() if text.strip()]
    return "\n".join([tagged("companion", being.name), *shown])
