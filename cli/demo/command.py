"""`patrol demo`: plays a month of sample notes through real servers and workers."""

import os
import time
from pathlib import Path
from typing import Annotated, Literal

from rich.text import Text
from typer import Exit, Option

from cli.console.ledger import send_to_workers
from cli.console.output import console, say
from cli.console.quiet import quiet_settings
from cli.demo import beside, canned, month, progress, report, swipe, thoughts
from cli.demo import talk as chat
from cli.operations import stack
from schemas.settings import Settings
from store.migrate import erase, migrate
from workers.embedded.interrupts import stoppable
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
        Literal["none", "canned"],
        Option(help="The language model: none, or a local provider that answers by simple rules."),
    ] = "none",
    talk: Annotated[
        bool, Option("--talk", help="Live a month of chat alone, whose scenes the canned model draws.")
    ] = False,
) -> None:
    """Run patrols over a month of sample notes, or with --talk of chat, and show the result.

    It uses embedded servers, a Celery worker and beat, and one patrol for each day. It needs no key and uses none.
    Without --talk, the chat is handed in at the end, for another user. The demo's data are in a separate home, and are
    removed at each start.
    """
    home = Settings().home / "demo"
    port, keyless = canned.free_port(), thinking == "none" and not talk
    os.environ |= _environment(home, port, keyless=keyless)
    try:
        # From the first line on, also where the shell that started this in the background has it ignore Ctrl-C.
        with stoppable():
            _play(quiet_settings(), days, port, keyless=keyless, talk=talk)
    except KeyboardInterrupt:
        say(Text("Stopped. No process is left running.", style="bold"))
        raise Exit(INTERRUPTED) from None


def _environment(home: Path, port: int, *, keyless: bool) -> dict[str, str]:
    """Return the demo's settings: its own servers, no key but for the canned provider, and no automatic patrols."""
    return {
        "PATROL_HOME": str(home),
        "DATABASE_URL": "",
        "REDIS_URL": "",
        "PATROL_EMBEDDER": "minilm",
        **(canned.settings_for_keys(port) if keyless else canned.settings(port)),
        "PATROL_TICK": LONG,
        "PATROL_PENDING_NOTES": "1000000",
        "PATROL_PENDING_WAIT": LONG,
    }


def _play(settings: Settings, days: int, port: int, *, keyless: bool, talk: bool) -> None:
    begun = time.monotonic()
    sample = (month.read_talk() if talk else month.read_days())[:days]
    questions = TALK_QUESTIONS if talk else month.read_questions(QUESTIONS)
    report.introduce(settings.home, len(sample), canned=not keyless, talk=talk)
    with (
        embedded_servers(settings.home, durable=False) as servers,
        Supervisor(settings.home / "logs", grace=GRACE) as supervisor,
    ):
        if erase(servers.database_url):
            say(Text("The data of the previous demo were removed.", style="dim"))
        migrate(servers.database_url)
        supervisor.watch(servers.redis, servers.postgres)
        with resources(settings, send_to_workers) as on:
            being = month.make_lumen(on.store) if talk else month.make_mizzen(on.store)
            concurrency = stack.default_concurrency()
            supervisor.start(
                [canned.process(port), stack.worker(concurrency, _ready), stack.beat(settings.home, _ready)]
            )
            awake = time.monotonic()
            progress.show(month.lived(on, being, sample, supervisor), len(sample), console())
            lived = time.monotonic() - awake
            report.what_became(on, being, questions)
            node = thoughts.what_it_rests_on(on.store, being) if talk else "month:001"
            if keyless:
                chat.what_was_said(on, being, sample[-1].date)
            else:
                thoughts.what_was_thought(on.store, being)
            meanwhile = month.pausing(supervisor)
            chatting = being if talk else beside.chat_alone(on, sample[-1].date, meanwhile)
            swipe.what_never_happened(on, chatting, meanwhile)
        question = questions[0] if talk else "Who is Terence?"
        total = time.monotonic() - begun
        report.conclude(settings.home, being.name, question, node, days=len(sample), lived=lived, total=total)


def _ready(_: str) -> None:
    """Announce nothing."""
