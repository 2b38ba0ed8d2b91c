"""`patrol demo`: plays a month of sample notes and chat through real servers and workers."""

import os
import time
from pathlib import Path
from typing import Annotated, Literal

from rich.text import Text
from typer import Exit, Option

from cli.console.failures import Failure
from cli.console.ledger import send_to_workers
from cli.console.output import console, say
from cli.console.quiet import quiet_settings
from cli.demo import canned, month, progress, report, swipe, thoughts
from cli.operations import stack
from schemas.ledger.acting import crossing
from schemas.settings import Settings
from store.migrate import erase, migrate
from workers.embedded.interrupts import stoppable
from workers.embedded.postgres import as_application
from workers.embedded.servers import embedded_servers
from workers.embedded.supervisor import Supervisor
from workers.runtime.resources import resources

INTERRUPTED = 130
QUESTIONS = 3
TALK_QUESTIONS = ["How is Teta?", "What is the matter with the hedge?", "Who is Inspector Quill?"]
LONG = "P3650D"
# Seconds. The demo is over when its processes are stopped, so unfinished work does not matter.
GRACE = 4.0


def demo(
    days: Annotated[int, Option(min=1, max=30, help="How many days of the month to live.")] = 30,
    thinking: Annotated[
        Literal["canned", "none"],
        Option(help="The language model: a local provider that answers by simple rules, or none."),
    ] = "canned",
    talk: Annotated[
        bool, Option("--talk", help="Live a month of chat alone, whose scenes the canned model draws.")
    ] = False,
) -> None:
    """Run patrols over a month of sample notes and chat, or with --talk of chat alone, and show the result.

    It uses embedded servers, a Celery worker and beat, and one patrol for each day. It needs no key and uses none: a
    local provider that answers by simple rules stands in for a language model. With --thinking none there is none, and
    the report shows a memory without one. The demo's data are in a separate home, and are removed at each start.
    """
    settings = Settings()
    home, port, thinks = settings.home / "demo", canned.free_port(), thinking == "canned" or talk
    door = _door(settings)
    os.environ |= _environment(home, port, thinks=thinks)
    try:
        # From the first line on, also where the shell that started this in the background has it ignore Ctrl-C.
        with stoppable():
            _play(quiet_settings(), days, port, door, thinks=thinks, talk=talk)
    except KeyboardInterrupt:
        say(Text("Stopped. No process is left running.", style="bold"))
        raise Exit(INTERRUPTED) from None


def _door(settings: Settings) -> report.Door:
    """The address at which the demo's memory can be started afterwards: that of the settings, else a free port."""
    try:
        return report.Door(*stack.free("The API", settings.api_host, settings.api_port), "")
    except Failure:
        port = canned.free_port()
        return report.Door(settings.api_host, port, f" --port {port}")


def _environment(home: Path, port: int, *, thinks: bool) -> dict[str, str]:
    """Return the demo's settings: its own servers, no key but for the canned provider, and no automatic patrols."""
    return {
        "PATROL_HOME": str(home),
        "DATABASE_URL": "",
        "REDIS_URL": "",
        "PATROL_EMBEDDER": "minilm",
        **(canned.settings(port) if thinks else {"PATROL_THINKER": "none", "ANTHROPIC_API_KEY": ""}),
        "PATROL_TICK": LONG,
        "PATROL_PENDING_NOTES": "1000000",
        "PATROL_PENDING_WAIT": LONG,
    }


def _play(settings: Settings, days: int, port: int, door: report.Door, *, thinks: bool, talk: bool) -> None:
    begun = time.monotonic()
    sample = month.read_days(talk=talk)[:days]
    questions = TALK_QUESTIONS if talk else month.read_questions(QUESTIONS)
    report.introduce(settings.home, len(sample), canned=thinks, talk=talk)
    with (
        embedded_servers(settings.home, durable=False) as servers,
        Supervisor(settings.home / "logs", grace=GRACE) as supervisor,
    ):
        if erase(servers.database_url):
            say(Text("The data of the previous demo were removed.", style="dim"))
        migrate(servers.database_url, as_application(servers.database_url))
        supervisor.watch(servers.redis, servers.postgres)
        with crossing("command"), resources(settings, send_to_workers) as on:
            being = month.make_lumen(on) if talk else month.make_mizzen(on)
            model = [canned.process(port)] if thinks else []
            concurrency = stack.default_concurrency()
            supervisor.start([*model, stack.worker(concurrency, _ready), stack.beat(settings.home, _ready)])
            awake = time.monotonic()
            progress.show(month.play_days(on, being, sample, supervisor, thinks=thinks), len(sample), console())
            lived = time.monotonic() - awake
            report.show_outcome(on, being, questions)
            node = thoughts.show_sources(on.store, being) if talk else "month:001"
            if thinks:
                thoughts.show_thoughts(on.store, being)
                thoughts.show_facts(on.store, being)
            if not talk:
                thoughts.show_vault(on.store, being)
                thoughts.show_search(on, being)
            if thinks:
                swipe.show_retraction(on, being, month.pausing(supervisor))
            question = questions[0] if talk else "Who is Terence?"
            total = time.monotonic() - begun
            report.show_durations(len(sample), lived, total)
            report.next_steps(on, settings.home, being, door, question, node)


def _ready(_: str) -> None:
    """Announce nothing."""
