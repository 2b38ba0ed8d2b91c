"""`patrol demo`, from an empty home to the last word."""

import os
import time
from pathlib import Path
from typing import Annotated, Literal

from rich.text import Text
from typer import Exit, Option

from cli import stack
from cli.demo import canned, month, progress, report, thoughts
from cli.ledger import quiet_settings
from cli.output import console, say
from schemas.settings import Settings
from store.migrate import erase, migrate
from workers.embedded import embedded_servers
from workers.resources import resources
from workers.supervisor import Supervisor

INTERRUPTED = 130
LONG = "P3650D"
# Nobody misses what a worker of the demo was at, so a slow one is not waited for.
GRACE = 4.0


def demo(
    days: Annotated[int, Option(min=1, max=30, help="How many days of the month to live.")] = 30,
    thinking: Annotated[
        Literal["none", "canned"],
        Option(help="Who thinks: nobody, or simple rules behind a fake provider, in place of a model."),
    ] = "none",
) -> None:
    """Play a month of a Being's life, and show what became of it.

    Everything is real: embedded servers, a Celery worker and beat, one patrol a day. It needs no key and uses none, has
    a home of its own beside yours, and begins anew each time.
    """
    home = Settings().home / "demo"
    port = canned.free_port() if thinking == "canned" else None
    os.environ |= _environment(home, port)
    try:
        _play(quiet_settings(), days, port)
    except KeyboardInterrupt:
        say(Text("Stopped. Nothing is left running.", style="bold"))
        raise Exit(INTERRUPTED) from None


def _environment(home: Path, port: int | None) -> dict[str, str]:
    """Settings of the demo alone, for us and our processes: its own servers, no key, and no patrol but the demanded."""
    return {
        "PATROL_HOME": str(home),
        "DATABASE_URL": "",
        "REDIS_URL": "",
        "PATROL_EMBEDDER": "minilm",
        **({"PATROL_THINKER": "none"} if port is None else canned.settings(port)),
        "PATROL_TICK": LONG,
        "PATROL_PENDING_NOTES": "1000000",
        "PATROL_PENDING_WAIT": LONG,
    }


def _play(settings: Settings, days: int, port: int | None) -> None:
    begun = time.monotonic()
    sample = month.read_days()[:days]
    report.introduce(settings.home, len(sample), canned=port is not None)
    with (
        embedded_servers(settings.home, durable=False) as servers,
        Supervisor(settings.home / "logs", grace=GRACE) as supervisor,
    ):
        if erase(servers.database_url):
            say(Text("The memories of the demo before are removed.", style="dim"))
        migrate(servers.database_url)
        supervisor.watch(servers.redis, servers.postgres)
        with resources(settings) as on:
            being = month.make_mizzen(on.store)
            concurrency = stack.default_concurrency()
            thinker = [] if port is None else [canned.process(port)]
            supervisor.start([*thinker, stack.worker(concurrency, _ready), stack.beat(settings.home, _ready)])
            awake = time.monotonic()
            progress.show(month.lived(on, being, sample, supervisor), len(sample), console())
            lived = time.monotonic() - awake
            report.what_became(on, being)
            if port is not None:
                thoughts.what_was_thought(on.store, being)
        report.conclude(settings.home, days=len(sample), lived=lived, total=time.monotonic() - begun)


def _ready(_: str) -> None:
    """In the demo nobody needs to know when."""
