"""`patrol up`: the whole system on this machine, until Ctrl-C."""

import time
from typing import Annotated

from rich.text import Text
from typer import Option

from cli import stack
from cli.ledger import quiet_settings
from cli.output import say, shown
from schemas.settings import Settings
from store.migrate import migrate
from workers.supervisor import Supervisor

FIRST_STEPS = """\
In another terminal, once:
  ./patrol user add NAME
  ./patrol being add --user NAME SLUG
  ./patrol token add --user NAME --scope ingest --scope read --scope manage
Then hand in what happened, and ask:
  ./patrol notes add FILE --being SLUG
  ./patrol run --being SLUG
  ./patrol recall --being SLUG "a question\""""


def up(
    host: Annotated[
        str | None, Option(help="The address on which the API listens.", show_default="PATROL_API_HOST")
    ] = None,
    port: Annotated[
        int | None, Option(min=1, max=65535, help="The port on which it listens.", show_default="PATROL_API_PORT")
    ] = None,
    concurrency: Annotated[
        int | None, Option("--concurrency", "-c", min=1, help="Tasks at once.", show_default="the processors")
    ] = None,
) -> None:
    """Run everything here: servers, API, worker, beat and stream reader. One Ctrl-C stops all of it, in order.

    Postgres and Redis are embedded unless DATABASE_URL and REDIS_URL are set. What they hold is kept from run to run.
    """
    settings = quiet_settings()
    host, port = stack.free("The API", host or settings.api_host, port or settings.api_port)
    try:
        _run(settings, host, port, concurrency or stack.default_concurrency())
    except KeyboardInterrupt:
        say(Text("Stopped. Nothing is left running, and everything is kept.", style="bold"))


def _run(settings: Settings, host: str, port: int, concurrency: int) -> None:
    begun = time.monotonic()

    def announce(name: str, detail: str = "") -> None:
        seconds = f"{time.monotonic() - begun:5.1f} s"
        say(Text.assemble(("  ✓ ", "green"), (f"{name:<10}", "bold"), (seconds, "dim"), f"  {detail}"))

    say(Text("Memory Patrol is starting …", style="bold"))
    with stack.servers(settings) as (addresses, embedded), Supervisor(settings.home / "logs") as supervisor:
        announce("servers", f"embedded Postgres and Redis in {shown(settings.home)}" if embedded else "as set")
        applied = migrate(addresses.database_url)
        announce("migrate", ", ".join(applied) or "up to date")
        supervisor.watch(*embedded)
        supervisor.start(
            [
                stack.worker(concurrency, announce),
                stack.beat(settings.home, announce),
                stack.stream(addresses.redis_url, announce),
                stack.api(host, port, announce),
            ]
        )
        say(
            Text.assemble("The API answers at ", (f"http://{_in_url(host)}:{port}", "bold cyan"), "."),
            f"Logs are in {shown(settings.home / 'logs')}. Ctrl-C stops everything.",
            Text(FIRST_STEPS, style="dim"),
        )
        supervisor.wait()


def _in_url(host: str) -> str:
    reachable = stack.EVERYWHERE.get(host, host)
    return f"[{reachable}]" if ":" in reachable else reachable
