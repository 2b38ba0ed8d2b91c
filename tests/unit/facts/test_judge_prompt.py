"""The judge is told what the state-and-memory seed says of facts."""

import pytest

from memory.facts.extraction import JUDGE


@pytest.mark.parametrize(
    "told",
    [
        "memberships of groups",
        "its status and deadlines",
        "preferences, habits and routines",
        "`confidence`: how sure",
        "What is below 0.5 is dropped.",
        "## Example",
    ],
)
def test_the_instructions_name_it(told):
    instructions = JUDGE.question("", "").instructions
    assert told in " ".join(instructions.split())
