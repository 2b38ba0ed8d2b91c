"""Prompts: files that say what a model is to do, and the fences around everything that it is to do it with.

A file in `memory/prompts/` begins with its version and the name of the answer's schema; the rest goes to the model word
by word, the same for everybody. What one Being's questions have in common, and then what varies, follows after it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel

from memory.fences import fenced
from providers.thinking import Question, Size
from schemas.rows import Being, Soul

A = TypeVar("A", bound=BaseModel)

FOLDER = Path(__file__).parent / "prompts"
# Of each part of a soul, so much is enough to know the voice.
SOUL_CHARACTERS = 1_000


@dataclass(frozen=True)
class Prompt(Generic[A]):
    """One kind of question.

    Attributes:
        purpose: What it is for, and the name of its file.
        version: Raised with every change of what is asked.
        size: Whether a large model is needed, or a small one does.
        answer: What the answer must be.
        most_tokens: The longest answer that makes sense.
        instructions: The file's text.
    """

    purpose: str
    version: int
    size: Size
    answer: type[A]
    most_tokens: int
    instructions: str

    def question(self, about: str, material: str) -> Question[A]:
        """Ask it about a Being (fenced, the same from question to question) and some material (fenced, varies)."""
        return Question(
            purpose=self.purpose,
            size=self.size,
            instructions=self.instructions,
            about=about,
            material=material,
            answer=self.answer,
            most_tokens=self.most_tokens,
        )


def prompt(purpose: str, answer: type[A], *, size: Size, most_tokens: int) -> Prompt[A]:
    """Read a prompt's file.

    Raises:
        ValueError: The file is made for another answer.
    """
    _, head, instructions = (FOLDER / f"{purpose}.md").read_text(encoding="utf-8").split("---\n", 2)
    told = dict(line.split(": ", 1) for line in head.splitlines())
    if told["answer"] != answer.__name__:
        raise ValueError(f"{purpose}.md asks for a {told['answer']}, and its asker for a {answer.__name__}.")
    return Prompt(purpose, int(told["version"]), size, answer, most_tokens, instructions.strip() + "\n")


def about(being: Being, soul: Soul) -> str:
    """Who a Being is, in brief: the same bytes until its person changes it."""
    parts = {"personality": soul.personality, "voice": soul.voice, "values": soul.values}
    told = [fenced(name, text[:SOUL_CHARACTERS]) for name, text in parts.items() if text.strip()]
    return "\n".join([fenced("companion", being.name), *told])
