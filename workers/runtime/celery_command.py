"""Celery's commands, each by itself: its command line imports all of them, and Flower, which takes 0.3 s and 20 MB."""

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from celery import Celery
from celery.bin.base import CLIContext


def run(command: Any, app: Celery, arguments: Sequence[str]) -> NoReturn:
    """Run one of Celery's commands, and exit with its status.

    Args:
        command: The click command, of a module of `celery.bin`.
        app: The app to run it for.
        arguments: Its options.
    """
    context = CLIContext(app, no_color=True, workdir=None)
    sys.exit(command.main([*arguments], prog_name=f"celery {command.name}", obj=context))
