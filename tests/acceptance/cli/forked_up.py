"""`patrol` commands whose processes are forked from the preloaded process, as they are themselves.

The tests of other commands talk to `patrol up`, and interrupt `patrol demo`. Started from scratch, as the tests of both
start them, the processes spend six seconds of processor time on imports. A command that is replaced by a part of the
system, as `patrol worker` is, goes on as that part in the same process.
"""

import os
import runpy
import sys
from collections.abc import Mapping
from functools import partial
from typing import NoReturn

from cli.__main__ import main
from cli.demo import command
from cli.operations import up
from schemas.settings import Settings
from tests.processes.preloaded import Preloaded
from workers.embedded.supervisor import Supervisor

# Where the preloaded process listens.
ADDRESS = "TESTS_FORK_FROM"


def find_secrets() -> None:
    """Have secrets read where this process's environment says: the settings looked there when they were imported."""
    Settings.model_config["secrets_dir"] = os.environ.get("PATROL_SECRETS") or None


def become(_: str, command: list[str], environment: Mapping[str, str]) -> NoReturn:
    """Run `[python, "-m", module, *arguments]` with its whole environment, in place of what this process has run."""
    os.environ.clear()
    os.environ.update(environment)
    find_secrets()
    sys.argv[1:] = command[3:]
    runpy.run_module(command[2], run_name="__main__", alter_sys=True)
    sys.exit()


if __name__ == "__main__":
    find_secrets()
    os.execve = become  # type: ignore[assignment]  # as `os.execve` is called by `patrol worker` and its like
    up.Supervisor = command.Supervisor = partial(Supervisor, launch=Preloaded(os.environ.pop(ADDRESS)).child)
    main()
