"""Faults of the servers, or of the variables that name them, are said in one sentence with what to do."""

import pytest

from tests.acceptance.cli.conftest import Command, made_home
from tests.databases import as_superuser
from tests.ports import free_port

NO_REDIS = "redis://127.0.0.1:1/0"
PASSWORD = "sesame-9731"  # noqa: S105  # it opens nothing


@pytest.fixture
def command(preloaded):
    """Run a command with variables of its own, and return what it says; it fails."""
    with made_home() as home:

        def said(*arguments, **variables):
            return Command(home, preloaded, **variables)(*arguments, code=1)

        yield said


def one_line(done):
    """A command's words without a word more, which is no one's password."""
    assert PASSWORD not in done.stdout + done.stderr
    (line,) = (done.stdout + done.stderr).strip().splitlines()
    return line


COMMANDS = ("doctor", "migrate", "being list")
CLOSED = (f"postgresql://me:{PASSWORD}@127.0.0.1:{{closed}}/memory", "Connection refused", "Start the server")
MALFORMED = (PASSWORD, "DATABASE_URL", "must be like postgresql://")


@pytest.mark.parametrize(
    ("name", "url", "reason", "remedy"),
    [
        *(
            (command_line, *fault)
            for command_line in ("doctor", "migrate", "being list")
            for fault in (CLOSED, MALFORMED)
        ),
        ("being list", f"postgresql://me:{PASSWORD}@nowhere.invalid/memory", "nowhere.invalid", "correct DATABASE_URL"),
        ("being list", "{server}&user=stranger", 'role "stranger" does not exist', "Create the role"),
        (
            "migrate",
            "{server}&user=postgres&dbname=missing",
            'database "missing" does not exist',
            "Create the database",
        ),
        ("doctor", f"mysql://me:{PASSWORD}@127.0.0.1/memory", "DATABASE_URL", "must be like postgresql://"),
        (
            "being list",
            f"postgresql://me:{PASSWORD}%zz@127.0.0.1/memory",
            "DATABASE_URL",
            "write it like postgresql://",
        ),
    ],
)
def test_a_database_out_of_reach_is_one_sentence(command, name, url, postgres, reason, remedy):
    given = url.format(closed=free_port(), server=postgres.url.replace("postgres@/postgres", "/"))
    line = one_line(command(*name.split(), DATABASE_URL=given, REDIS_URL=NO_REDIS))
    assert reason in line
    assert remedy in line


def test_another_servers_url_is_no_redis(command):
    line = one_line(command("doctor", DATABASE_URL="postgresql://x", REDIS_URL=f"amqp://:{PASSWORD}@x"))
    assert line.startswith("Invalid settings in the environment: REDIS_URL: must be like redis://")


def test_the_doctor_finds_redis_away(command, url):
    done = command("doctor", "--no-canary", DATABASE_URL=as_superuser(url), REDIS_URL=NO_REDIS)
    assert "correct REDIS_URL" in " ".join(done.stdout.split())


def test_a_variable_that_is_no_setting_is_told(command):
    done = command("doctor", PATROL_PENDING_WIAT="3")
    assert "PATROL_PENDING_WIAT" in done.stderr
    assert "PATROL_PENDING_WAIT" in done.stderr
