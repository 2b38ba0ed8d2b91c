"""All that the documents name exists: commands, settings, make targets, files."""

import re
from pathlib import Path

import pytest

from api import openapi_file, routes_page
from cli.commands import COMMANDS
from schemas.settings import CHECKOUT, Settings, variable
from schemas.settings import page as settings_page

DOCUMENTS = [
    *sorted(CHECKOUT.glob("*.md")),
    *sorted((CHECKOUT / "docs").rglob("*.md")),
    *sorted((CHECKOUT / "samples").glob("*.md")),
]
WORDS_AFTER_PATROL = re.compile(r"(?:`|\./|\$ )patrol ((?:[a-z]+ ?)+)")
VARIABLE = re.compile(r"\b(?:PATROL|OPENAI|ANTHROPIC|DATABASE|REDIS)_[A-Z_]*[A-Z]\b")
# The last one is Claude Code's.
OTHER_VARIABLES = {"PATROL_HOME", "PATROL_SECRETS", "ANTHROPIC_AUTH_TOKEN"}


def named(paths):
    return [pytest.param(path, id=str(path.relative_to(CHECKOUT))) for path in paths]


@pytest.fixture(params=named(DOCUMENTS))
def document(request) -> str:
    return request.param.read_text()


def commands(command, path):
    """A command and all below it, as tuples of words."""
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))


@pytest.fixture(scope="session")
def known() -> set[tuple[str, ...]]:
    return {words for name, entry in COMMANDS.items() for words in commands(entry.load(), (name,))} | {()}


def test_commands_exist(document, known):
    groups = {words[:-1] for words in known if words}
    for match in WORDS_AFTER_PATROL.finditer(document):
        words = tuple(match[1].split())
        # A command's own arguments may follow it: the longest known beginning has to be a command, not a group.
        known_words = max((words[:length] for length in range(len(words) + 1) if words[:length] in known), key=len)
        assert known_words, f"there is no `patrol {match[1]}`"
        assert known_words == words or known_words not in groups, f"there is no `patrol {match[1]}`"


def test_settings_exist(document):
    known = {variable(name, field) for name, field in Settings.model_fields.items()} | OTHER_VARIABLES
    assert set(VARIABLE.findall(document)) <= known


def test_make_targets_exist(document):
    targets = set(re.findall(r"^([a-z-]+):", (CHECKOUT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^\s*(?:\$ )?)make ([a-z-]+)", document, re.MULTILINE)) <= targets


@pytest.mark.parametrize("path", named(DOCUMENTS))
def test_linked_files_exist(path):
    for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text()):
        assert (path.parent / link).exists(), f"{path.name} links to {link}"


def test_every_decision_is_in_their_list():
    pages = sorted(path.name for path in (CHECKOUT / "docs" / "decisions").glob("0*.md"))
    assert re.findall(r"\]\((0.*?)\)", (CHECKOUT / "docs" / "decisions" / "README.md").read_text()) == pages


def test_named_files_exist(document):
    folders = "|".join(path.name for path in CHECKOUT.iterdir() if path.is_dir() and not path.name.startswith("."))
    for path in re.findall(rf"`((?:{folders})/[\w./-]+\.\w+)`", document):
        assert (CHECKOUT / path).exists(), f"there is no {path}"


def test_the_page_of_settings_is_the_settings():
    assert (CHECKOUT / "docs" / "settings.md").read_text() == settings_page.page(), "run: make docs"


def test_the_page_of_routes_is_the_routes():
    assert (CHECKOUT / "docs" / "api.md").read_text() == routes_page.page(), "run: make docs"


def test_the_document_in_the_repository_is_what_the_application_says():
    assert (CHECKOUT / "openapi.json").read_text() == openapi_file.text(), "run: make docs"


def test_every_setting_is_used():
    code = (
        "".join(
            path.read_text()
            for folder in ("api", "cli", "memory", "operations", "providers", "store", "tasks", "workers")
            for path in (CHECKOUT / folder).rglob("*.py")
        )
        + (CHECKOUT / "celeryconfig.py").read_text()
    )
    assert [name for name in Settings.model_fields if not re.search(rf"ettings(?:\(\))?\.{name}\b", code)] == []


def test_no_file_knows_the_machine_it_was_written_on():
    for path in [*DOCUMENTS, *Path(CHECKOUT).glob("*.toml"), CHECKOUT / "Makefile"]:
        assert str(CHECKOUT) not in path.read_text()


def test_each_alert_has_its_steps():
    alerts = re.findall(r"- alert: (\w+)", (CHECKOUT / "deploy" / "prometheus" / "alerts.yml").read_text())
    runbook = (CHECKOUT / "docs" / "scaling.md").read_text().partition("## Runbook")[2]

    assert re.findall(r"^\| `(Patrol\w+)`", runbook, re.MULTILINE) == alerts
