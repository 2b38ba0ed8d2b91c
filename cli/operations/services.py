"""`patrol migrate | api | worker | beat | flower`: the system's processes one by one, as containers start them."""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from typer import BadParameter, Option

from cli.console.failures import Failure
from cli.console.options import JsonOption
from cli.console.output import say_answer
from cli.console.quiet import quiet_settings
from cli.operations import stack
from cli.operations.environments import Role, environment
from schemas.ledger.kinds import QUEUES
from schemas.settings import Settings
from workers.runtime.addresses import addresses, broker_url, database_url, direct_url


def migrate(*, as_json: JsonOption = False) -> None:
    """Migrate the database to this version's schema. Running it again changes nothing."""
    from store.migrate import migrate as bring_up_to_date  # noqa: PLC0415  # the other processes start without it

    settings = quiet_settings()
    applied = bring_up_to_date(direct_url(settings), database_url(settings))
    shown = f"Applied: {', '.join(applied)}." if applied else "The database is up to date."
    say_answer({"applied": applied}, shown, as_json=as_json)


def api(
    host: Annotated[str | None, Option(help="The address to listen on.", show_default="PATROL_API_HOST")] = None,
    port: Annotated[
        int | None, Option(min=1, max=65535, help="The port to listen on.", show_default="PATROL_API_PORT")
    ] = None,
) -> None:
    """Serve the HTTP API. Replaces this process."""
    settings = _served()
    where = stack.free("The API", host or settings.api_host, port or settings.api_port)
    _become("api", stack.api_command(*where, stack.api_processes(settings)))


def worker(
    queues: Annotated[
        str, Option("--queues", "-Q", metavar="NAME,…", help="The queues to consume, separated by commas.")
    ] = ",".join(QUEUES),
    concurrency: Annotated[
        int | None, Option("--concurrency", "-c", min=1, help="Concurrent tasks.", show_default="the processors")
    ] = None,
    name: Annotated[str, Option(help="The worker's name in Celery, before the @.")] = "worker",
) -> None:
    """Run one Celery worker. Replaces this process."""
    named = [queue.strip() for queue in queues.split(",") if queue.strip()]
    if unknown := [queue for queue in named if queue not in QUEUES]:
        raise BadParameter(f"no such queue: {', '.join(unknown)}. There are {', '.join(QUEUES)}.")
    _served()
    _become("worker", stack.worker_command(name, named or QUEUES, concurrency or stack.default_concurrency()))


def beat() -> None:
    """Run Celery beat. Replaces this process."""
    settings = Settings()
    broker_url(settings)
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    _become("beat", stack.beat_command(settings.home))


def flower(
    host: Annotated[str | None, Option(help="The address to listen on.", show_default="PATROL_FLOWER_HOST")] = None,
    port: Annotated[
        int | None, Option(min=1, max=65535, help="The port to listen on.", show_default="PATROL_FLOWER_PORT")
    ] = None,
) -> None:
    """Serve Flower, which shows workers, queues and tasks, behind a password. Replaces this process."""
    settings = Settings()
    broker_url(settings)
    if settings.flower_basic_auth is None:
        raise Failure("Flower starts only with a password: set PATROL_FLOWER_BASIC_AUTH to NAME:PASSWORD.")
    # In the environment, since other users of the machine can read command lines.
    secret = {"FLOWER_BASIC_AUTH": settings.flower_basic_auth.get_secret_value()}
    where = stack.free("Flower", host or settings.flower_host, port or settings.flower_port)
    _become("flower", stack.flower_command(*where), secret)


def _served() -> Settings:
    """Return the settings, after checking that both servers have URLs.

    Raises:
        NothingRunsError: They have none.
    """
    settings = Settings()
    addresses(settings)
    return settings


def _become(role: Role, command: list[str], secret: Mapping[str, str] = MappingProxyType({})) -> None:
    """Replace this process, so that signals reach the service directly."""
    own = {**environment(role), **secret}
    os.execve(command[0], command, own)  # noqa: S606  # the command is ours
