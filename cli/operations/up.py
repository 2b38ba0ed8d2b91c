"""`patrol up`: runs the whole system on this machine until Ctrl-C."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from rich.text import Text
from typer import Option

from cli.console.failures import Failure
from cli.console.ledger import open_ledger
from cli.console.output import count, say, shown
from cli.console.quiet import quiet_settings
from cli.operations import stack
from cli.operations.page import HOUR, show_way_in
from memory.accounts import lookup
from providers.thinkers import platform_llm_disabled
from schemas.settings import Settings
from store.migrate import migrate
from workers.embedded.postgres import as_application
from workers.embedded.supervisor import Supervisor
from workers.runtime.addresses import direct_url
from workers.runtime.resources import Resources

FIRST_STEPS = """\
Next, in another terminal:
  ./patrol user add NAME
  ./patrol being add --user NAME SLUG
  ./patrol messages add FILE --being SLUG      or: ./patrol import --help
  ./patrol context --being SLUG "a question"
  ./patrol token add --user NAME --scope ingest --scope read --scope manage\
"""

NO_KEY = (
    "No model key is set: messages are stored and searchable, but no facts are extracted from them. Set "
    "ANTHROPIC_API_KEY, or store a user's key: ./patrol key add --user NAME"
)


def up(
    host: Annotated[
        str | None, Option(help="The address on which the API listens.", show_default="PATROL_API_HOST")
    ] = None,
    port: Annotated[
        int | None, Option(min=1, max=65535, help="The port on which it listens.", show_default="PATROL_API_PORT")
    ] = None,
    concurrency: Annotated[
        int | None,
        Option(
            "--concurrency",
            "-c",
            min=1,
            help="Concurrent tasks in each worker; the worker for models has one more.",
            show_default="the processors",
        ),
    ] = None,
    redis_port: Annotated[
        int | None,
        Option(
            min=1,
            max=65535,
            help="A port of 127.0.0.1 for the embedded Redis, for producers.",
            show_default="PATROL_REDIS_PORT",
        ),
    ] = None,
    detach: Annotated[
        bool, Option("--detach", "-d", help="Go on in the background once everything runs; `patrol down` ends it.")
    ] = False,
) -> None:
    """Run everything here: servers, API, workers, beat and stream reader. Ctrl-C stops all of it.

    Postgres and Redis are embedded unless DATABASE_URL and REDIS_URL are set. Their data are kept from run to run.
    """
    settings = quiet_settings()
    if redis_port:
        settings = settings.model_copy(update={"redis_port": redis_port})
    host, port = stack.free("The API", host or settings.api_host, port or settings.api_port)
    ready = None
    if detach:
        if settings.database_url or settings.redis_url:
            raise Failure("--detach is for the embedded servers: with others, let a service manager run each process.")
        ready = go_on_behind(settings.home / "logs" / "up.log")
        if ready is None:
            with open_ledger(settings) as on:
                _greet(on, host, port, ending="./patrol down")
            return
    try:
        _run(settings, host, port, concurrency or stack.default_concurrency(), ready)
    except KeyboardInterrupt:
        say(Text("Stopped. No process is left running, and all data are kept.", style="bold"))


def _run(settings: Settings, host: str, port: int, concurrency: int, ready: Callable[[], None] | None) -> None:
    begun = time.monotonic()

    def announce(name: str, detail: str = "") -> None:
        seconds = f"{time.monotonic() - begun:5.1f} s"
        say(Text.assemble(("  ✓ ", "green"), (f"{name:<11}", "bold"), (seconds, "dim"), f"  {detail}"))

    say(Text("Memory Patrol is starting …", style="bold"))
    with stack.servers(settings) as (at, embedded), Supervisor(settings.home / "logs") as supervisor:
        announce("servers", f"embedded Postgres and Redis in {shown(settings.home)}" if embedded else "as set")
        supervisor.watch(*embedded)

        def migrating() -> None:
            applied = (
                migrate(at.database_url, as_application(at.database_url))
                if embedded
                else migrate(direct_url(settings), at.database_url)
            )
            announce("migrate", f"{count(len(applied), 'migration')} applied" if applied else "up to date")

        def starting_others() -> None:
            # Callers wait for the API: tasks that would take processor time from its imports come after it.
            supervisor.start([stack.api(host, port, stack.api_processes(settings), announce)], meanwhile=migrating)
            supervisor.start([stack.beat(settings.home, announce), stack.stream(at.redis_url, announce)])

        # All import their modules while the database is migrated, and then wait for the schema.
        supervisor.start([stack.workers(concurrency, announce)], meanwhile=starting_others)
        if embedded:
            # Configured servers' URLs are not printed: they may contain passwords.
            say(_for_producers(at.redis_url, at.broker_url, settings.redis_port))
        if ready is None:
            with open_ledger(settings) as on:
                _greet(on, host, port, ending="Ctrl-C")
        else:
            ready()
        supervisor.wait()


def _greet(on: Resources, host: str, port: int, ending: str) -> None:
    """Print the addresses, the next steps, and how to end it."""
    url = stack.address(host, port)
    found = lookup.all_users(on.store)
    say(
        Text.assemble("The API answers at ", (url, "bold cyan"), "."),
        f"Logs are in {shown(on.settings.home / 'logs')}.",
        *([Text(NO_KEY, style="yellow")] if platform_llm_disabled(on.settings) else []),
        *([] if found else [Text(FIRST_STEPS, style="dim")]),
    )
    show_way_in(on, url, found, HOUR)
    say(f"{ending} stops everything.")


def _for_producers(redis_url: str, broker_url: str, port: int | None) -> str:
    """Name the addresses of the embedded Redis for producers that use streams or Celery."""
    if port:
        return f"Redis, for streams and Celery by name, is at redis://127.0.0.1:{port}."
    return f"Redis, for streams, is at {redis_url}; for Celery by name {broker_url}. --redis-port 6379 adds a port."


READY = b"1"


def go_on_behind(log: Path) -> Callable[[], None] | None:
    """Fork: a process of a session of its own goes on with its output in a log, and this one waits until it is ready.

    Must be called before there are threads.

    Args:
        log: The file that the output is appended to, made when missing.

    Returns:
        In the process behind, the function to be called once it is ready; in this one None, after that call.

    Raises:
        Failure: The process behind has ended without being ready.
    """
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    begun = log.stat().st_size
    near, far = os.pipe()
    behind = os.fork()
    if behind == 0:
        os.setsid()
        with Path(os.devnull).open("rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(near)
        return lambda: _say_ready(far)
    os.close(far)
    with os.fdopen(near, "rb") as pipe:
        if pipe.read(1) == READY:
            return None
    os.waitpid(behind, 0)
    with log.open("rb") as output_file:
        output_file.seek(begun)
        sys.stderr.write(output_file.read().decode(errors="replace"))
    raise Failure(f"It did not start. Its output is in {shown(log)}.")


def _say_ready(pipe: int) -> None:
    os.write(pipe, READY)
    os.close(pipe)
