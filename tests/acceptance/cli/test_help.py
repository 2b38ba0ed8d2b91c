"""Every command and every option says what it does, at once."""

import subprocess
import sys

import pytest

from cli.commands import COMMANDS, PANELS
from tests.acceptance.cli.conftest import PATROL


def commands_below(command, name):
    children = getattr(command, "commands", None)
    if children is None:
        return [(name, command)]
    return [found for child in children.values() for found in commands_below(child, f"{name} {child.name}")]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_has_a_help_text(name):
    command = COMMANDS[name].load()
    assert command.help
    assert "completion" not in str([parameter.opts for parameter in command.params])
    for full_name, child in commands_below(command, name):
        assert child.help, full_name
        for parameter in child.params:
            assert parameter.help, f"{full_name} {parameter.name}"


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_help_lists_every_command(command, option):
    said = command(option).stdout
    for name, entry in COMMANDS.items():
        assert f" {name} " in said
        assert entry.line.split(".")[0].split()[0] in said


def test_a_link_to_the_command_is_the_command(tmp_path):
    (tmp_path / "patrol").symlink_to(PATROL)
    ran = subprocess.run([tmp_path / "patrol", "user", "-h"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "Usage: patrol user" in ran.stdout


def test_without_arguments_there_is_help(command):
    assert "Usage: patrol" in command(code=2).stderr


def test_the_help_imports_no_driver_no_model_and_no_console():
    program = "import sys, cli.__main__\ntry:\n    cli.__main__.main()\nfinally:\n    print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program, "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "cli.commands" in loaded
    assert not {"psycopg", "numpy", "celery", "openai", "pydantic", "rich"} & set(loaded)


def test_the_help_lists_the_commands_by_what_they_are_for(command):
    said = command("--help").stdout
    places = [said.index(f"\n{panel}:\n") for panel in PANELS]
    assert places == sorted(places)


def test_a_group_that_does_something_by_itself_says_what(command):
    assert "until stopped" in " ".join(command("stream", "-h").stdout.split())


def test_a_mistyped_command_is_wrong_usage_and_meets_a_suggestion(command):
    assert "recall" in command("recal", code=2).stderr


def test_an_argument_that_is_no_text_is_wrong_usage(command):
    assert "UTF-8" in command("recall", "\udcff", code=2).stderr
