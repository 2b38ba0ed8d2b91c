"""Log lines on a terminal hold nothing that it would obey, and no local variables."""

import io
import logging

import pytest
import structlog

from schemas.settings import Settings
from schemas.text.visible_text import visible
from workers.runtime.logs import configure_logs

HOSTILE = "h\x1b[35;45m\x9b1m\u202e\x07e"


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        """Say so."""
        return True


@pytest.fixture
def terminal(monkeypatch):
    root, before = logging.getLogger(), logging.getLogger().handlers[:]
    level, made = root.level, Terminal()
    monkeypatch.setattr("sys.stderr", made)
    configure_logs(Settings())
    yield made
    root.handlers = before
    root.setLevel(level)
    structlog.reset_defaults()


def test_lines_of_ours_and_of_libraries_and_tracebacks_are_visible(terminal):
    held = "a-local-variable"  # noqa: F841  # a traceback with locals would show it
    try:
        raise ValueError(HOSTILE)  # noqa: TRY301  # its traceback is what is looked at
    except ValueError:
        structlog.get_logger().exception("it_failed", what=HOSTILE, **{HOSTILE: 1})
        logging.getLogger("a.library").exception("It says %s", HOSTILE)
    said = terminal.getvalue()
    assert said.count("ValueError: h\\u001b[35;45m") == 2
    assert visible(said) == said
    assert "a-local-variable" not in said.replace('held = "a-local-variable"', "")
