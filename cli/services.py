"""`patrol migrate | api | worker | beat | flower`: the system's parts one by one, as containers start them."""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from typer import BadParameter, Option

from cli import stack
from cli.failures import Failure
from cli.ledger import quiet_settings
from cli.options import JsonOption
from cli.output import say, say_json
from schemas.settings import Settings
from schemas.work import QUEUES
from store.migrate import migrate as bring_up_to_date
from workers.addresses import addresses


def migrate(*, as_json: JsonOption = False) -> None:
    """Bring the database to the shape that this code expects. Doing it again changes nothing."""
    applied = bring_up_to_date(addresses(quiet_settings()).database_url)
    if as_json:
        say_json({"applied": applied})
    else:
        say(f"Applied: {', '.join(applied)}." if applied else "The database is up to date.")


def api(
    host: Annotated[str | None, Option(help="The address to listen on.", show_default="PATROL_API_HOST")] = None,
    port: Annotated[
        int | None, Option(min=1, max=65535, help="The port to listen on.", show_default="PATROL_API_PORT")
    ] = None,
) -> None:
    """Serve the HTTP API, in the place of this process."""
    settings = _served()
    _become(stack.api_command(*stack.free("The API", host or settings.api_host, port or settings.api_port)))


def worker(
    queues: Annotated[
        str, Option("--queues", "-Q", metavar="NAME,…", help="Which queues to work on, with commas between.")
    ] = ",".join(QUEUES),
    concurrency: Annotated[
        int | None, Option("--concurrency", "-c", min=1, help="Tasks at once.", show_default="the processors")
    ] = None,
    name: Annotated[str, Option(help="What Celery calls this worker, before the @.")] = "worker",
) -> None:
    """Run one Celery worker, in the place of this process."""
    asked = [queue.strip() for queue in queues.split(",") if queue.strip()]
    if unknown := [queue for queue in asked if queue not in QUEUES]:
        raise BadParameter(f"no such queue: {', '.join(unknown)}. There are {', '.join(QUEUES)}.")
    _served()
    _become(stack.worker_command(name, asked or QUEUES, concurrency or stack.default_concurrency()))


def beat() -> None:
    """Run Celery's beat, in the place of this process."""
    settings = _served()
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    _become(stack.beat_command(settings.home))


def flower(
    host: Annotated[str | None, Option(help="The address to listen on.", show_default="PATROL_FLOWER_HOST")] = None,
    port: Annotated[
        int | None, Option(min=1, max=65535, help="The port to listen on.", show_default="PATROL_FLOWER_PORT")
    ] = None,
) -> None:
    """Show workers, queues and tasks in the browser, behind a name and password, in the place of this process."""
    settings = _served()
    if settings.flower_basic_auth is None:
        raise Failure("Flower starts only with a password: set PATROL_FLOWER_BASIC_AUTH to NAME:PASSWORD.")
    # By the environment, for anybody may read a command line.
    secret = {"FLOWER_BASIC_AUTH": settings.flower_basic_auth.get_secret_value()}
    where = stack.free("Flower", host or settings.flower_host, port or settings.flower_port)
    _become(stack.flower_command(*where), secret)


def _served() -> Settings:
    """The settings, once it is known where their servers are.

    Raises:
        NothingRunsError: Nobody knows.
    """
    settings = Settings()
    addresses(settings)
    return settings


def _become(command: list[str], environment: Mapping[str, str] = MappingProxyType({})) -> None:
    """Replace this process, so that signals reach the service itself."""
    own = {**os.environ, **stack.environment(), **environment}
    os.execve(command[0], command, own)  # noqa: S606  # the command is ours
