"""Names: what goes has one verb in code, commands, page and documents (the table under "Words" in CONTRIBUTING.md)."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

import pytest

from schemas.settings import CHECKOUT
from tests.unit.test_layout import SOURCES

# By the stem of a verb the files in which it has a meaning of its own; in all others it would be a second word for one.
MEANT: Mapping[str, Sequence[str]] = {
    # The vault's word: a version without text.
    "delet": [
        "operations/vault/records.py",
        "memory/vault/records.py",
        "memory/vault/reading.py",
        "memory/vault/scope_writer.py",
        "schemas/vault/vault_answers.py",
        "schemas/vault/vault_requests.py",
        "cli/vault/records.py",
        "api/page/static/sections/vault.js",
    ],
    # A token stays in the list.
    "revok": [
        "operations/accounts/users.py",
        "memory/accounts/access.py",
        "memory/accounts/user_accounts.py",
        "store/accounts/operators.py",
        "store/accounts/tokens.py",
        "api/page/session.py",
        "api/page/static/sections/connecting.js",
        "cli/accounts/operators.py",
        "cli/accounts/tokens.py",
    ],
    # Not taken over from an answer of a model, or into a prompt.
    "drop": [
        "memory/llm/call_ledger.py",
        "memory/llm/session.py",
        "memory/context/assembly.py",
        "schemas/llm/answer_form.py",
        "schemas/llm/drops.py",
        "store/llm/drops.py",
        # A trigger; its name would have to change in a migration.
        "sql/functions/96_facts/10_fold.sql",
    ],
    # What erasing and retracting messages have in common.
    "withdr": [
        "memory/talk/withdrawal.py",
        "schemas/errors.py",
        "store/llm/calls.py",
        "sql/functions/90_talk/30_retraction.sql",
        "sql/functions/96_facts/50_curator.sql",
        "sql/functions/65_search/20_postings.sql",
    ],
    # Starts anew with keys whose secret is lost.
    "reset": ["cli/accounts/keys.py"],
    "clear": [],
    "destroy": [],
    "discard": [],
    "expung": [],
    "prun": [],
    "purg": [],
    "wip": [],
}
STEMS = re.compile(rf"(?<![a-z])({'|'.join(MEANT)})")
TAKES_BACK = re.compile(r"\b(?:tak(?:e|es|en|ing)|took)\s(?:\w+\s){0,2}back\b", re.IGNORECASE)
SPOKEN = [
    CHECKOUT / "README.md",
    *(CHECKOUT / "docs").glob("*.md"),
    *(path for folder in ("api/page/static", "adapters") for path in (CHECKOUT / folder).rglob("*.js")),
    *(path for path in SOURCES if path.relative_to(CHECKOUT).parts[0] in {"operations", "schemas", "cli", "memory"}),
]


def others(name: str) -> Iterator[str]:
    """The stems of other verbs in a name, in snake or camel case, or in the text of a button."""
    yield from STEMS.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())


def names_in_python(source: str) -> Iterator[str]:
    """The names of functions and classes, and those of commands."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Call(
                func=ast.Name(id="Command") | ast.Attribute(attr="command"), args=[ast.Constant(value=str(name)), *_]
            ):
                yield name


def names() -> Iterator[tuple[str, str]]:
    """The names by file: of modules, functions, classes, commands, SQL functions and the page's buttons."""
    for path in SOURCES:
        yield from ((str(path.relative_to(CHECKOUT)), name) for name in [path.stem, *names_in_python(path.read_text())])
    for pattern, texts in {
        r"create or replace function (\w+)": sorted((CHECKOUT / "sql" / "functions").rglob("*.sql")),
        r'\bbutton\(\s*"([^"]+)"': sorted((CHECKOUT / "api" / "page" / "static").rglob("*.js")),
    }.items():
        for path in texts:
            yield from ((str(path.relative_to(CHECKOUT)), name) for name in re.findall(pattern, path.read_text()))


def test_what_goes_has_one_verb():
    found = {(stem, file): name for file, name in names() for stem in others(name)}
    meant = {(stem, file) for stem, files in MEANT.items() for file in files}

    assert {place: name for place, name in found.items() if place not in meant} == {}
    assert meant - found.keys() == set(), "no name in these has the verb"


def test_what_is_retracted_is_not_taken_back():
    assert {
        str(path): TAKES_BACK.findall(path.read_text()) for path in SPOKEN if TAKES_BACK.search(path.read_text())
    } == {}


@pytest.mark.parametrize(
    "source",
    ["def purge_notes(): ...", "class DroppedFact: ...", 'Command("clear")', '@work.command("drop")\ndef f(): ...'],
)
def test_the_check_finds_another_verb(source):
    assert [*names_in_python(source)]
    assert any([*others(name)] for name in names_in_python(source))


@pytest.mark.parametrize("text", ["Take back for all", "messages that were taken back", "took 3 turns back"])
def test_the_check_finds_what_is_taken_back(text):
    assert TAKES_BACK.search(text)


def names_of_telling(source: str) -> set[str]:
    """The names in code that tell that something was told, and not what it is."""
    bound: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.arg(arg=name)
                | ast.Name(id=name)
                | ast.Attribute(attr=name)
            ):
                bound.add(name)
    return bound & {"told", "said", "asked", "meant"}


def test_nothing_is_named_for_having_been_told():
    found = {str(path.relative_to(CHECKOUT)): names_of_telling(path.read_text()) for path in SOURCES}

    assert {file: names for file, names in found.items() if names} == {}


@pytest.mark.parametrize("source", ["told = 1", "def asked(): ...", "def f(said): ...", "x.meant"])
def test_the_check_finds_such_a_name(source):
    assert names_of_telling(source)


def opens_as_a_question(source: str) -> list[str]:
    """The first words of docstrings, and of their lines on parameters and attributes, that ask and name no noun."""
    return re.findall(r'(?:"""|^ +\w+: )(?:What|Who|Whose|Where)\b.{0,60}', source, re.MULTILINE)


def test_no_docstring_opens_as_a_question():
    tests = sorted((CHECKOUT / "tests").rglob("*.py"))
    found = {str(path.relative_to(CHECKOUT)): opens_as_a_question(path.read_text()) for path in [*SOURCES, *tests]}

    assert {file: texts for file, texts in found.items() if texts} == {}


@pytest.mark.parametrize("word", ["What", "Who", "Whose", "Where"])
@pytest.mark.parametrize("before", ['"""', "    text: "])
def test_the_check_finds_such_a_docstring(before, word):
    assert opens_as_a_question(f"{before}{word} is told.")
