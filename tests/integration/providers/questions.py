"""A question as memory asks them, for the tests of thinkers."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from memory.text.prompt_escaping import tagged
from providers.thinking import Question

WORDS = "the words of a person"
ABOUT = "You are Mika, who keeps a bakery."
INSTRUCTIONS = "Say which of these memories belong together."


class Pair(BaseModel):
    """Two memories that tell of the same."""

    survivor: str = Field(description="the reference of the one that stays")
    absorbed: list[str] = Field(min_length=1)
    certainty: Literal["low", "high"] = "low"


class Merges(BaseModel):
    """Which memories belong together."""

    model_config = ConfigDict(extra="forbid")

    pairs: list[Pair]
    reason: str | None = None


def question(material=WORDS, about=ABOUT, size="large", most_tokens=500):
    return Question(
        purpose="consolidate",
        size=size,
        instructions=INSTRUCTIONS,
        about=about,
        material=tagged("memories", material),
        answer=Merges,
        most_tokens=most_tokens,
    )


ANSWER = '{"pairs": [{"survivor": "n1", "absorbed": ["n2"], "certainty": "high"}], "reason": null}'
