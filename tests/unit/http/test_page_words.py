"""The memory page has words for all that the API names by a field: a person reads no names of fields."""

import re

import pytest

from memory.search.ranking import WEIGHTS
from operations.context.contexts import SCORES
from schemas.ledger.kinds import PATROL_STEPS, WORK
from schemas.settings import CHECKOUT

SECTIONS = CHECKOUT / "api" / "page" / "static" / "sections"


def words(section, table):
    """The names of a table of words in a section."""
    source = (SECTIONS / f"{section}.js").read_text()
    (lines,) = re.findall(rf"^const {table} = \{{\n(.*?)^\}};", source, re.MULTILINE | re.DOTALL)
    return set(re.findall(r'^  "?([\w.]+)"?: "', lines, re.MULTILINE))


@pytest.mark.parametrize(
    ("section", "table", "named"),
    [
        ("search", "SIGNALS", WEIGHTS),
        ("prompts", "SCORES", SCORES),
        ("patrols", "STEPS", PATROL_STEPS),
        ("work", "KINDS", WORK),
    ],
)
def test_each_name_has_words(section, table, named):
    assert words(section, table) == set(named)


def test_each_purpose_of_a_call_has_words():
    sources = "".join(path.read_text() for path in (CHECKOUT / "memory").rglob("*.py"))
    purposes = set(re.findall(r'(?:= prompt\(\s*|purpose=)"(\w+)"', sources))
    assert {"judge", "chat"} <= purposes <= words("cost", "PURPOSES")
