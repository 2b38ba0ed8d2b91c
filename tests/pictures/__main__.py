"""`make screenshots`: pictures of the demo's output, of the memory page, and of Flower. Needs Chromium; takes 3 min."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import httpx2
from celery import Celery
from rich.console import Console
from rich.text import Text

from cli.demo.month import Day, read_days
from schemas.ledger.kinds import PATROL_STEPS
from schemas.settings import CHECKOUT
from tests.acceptance.cli.conftest import Command, free_port, made_home, read_until
from tests.pictures.page import photograph_page
from workers.embedded.processes import wait_until
from workers.embedded.servers import running_servers

PICTURE = CHECKOUT / "docs" / "images" / "flower.png"
RECORDING = PICTURE.with_name("demo.svg")
COLUMNS = 110
AUTH = ("ada", "lovelace-1815")
PATIENCE = 60.0
DEMO_PATIENCE = 600.0
DAYS = 2
CHROMIUM = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--window-size=1500,900", "--virtual-time-budget=8000"),
]


def main() -> int:
    """Run a system over a temporary home, play some days, and take the pictures; returns the exit status."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.stderr.write("There is no Chromium here; on Debian: apt-get install chromium\n")
        return 1
    record_demo()
    port = free_port()
    with made_home() as home:
        command = Command(home, PATROL_FLOWER_BASIC_AUTH=":".join(AUTH))
        with (
            running(command, "The API answers at", "up", "--port", free_port()),
            running(command, "Connected to", "flower", "--port", port),
            httpx2.Client(base_url=f"http://127.0.0.1:{port}", auth=AUTH, timeout=PATIENCE) as flower,
        ):
            wait(lambda: flower.get("/api/workers?refresh=1").json())
            live(command, read_days()[:DAYS])
            wait(lambda: len(flower.get("/api/tasks?taskname=patrol.diary").json()) == DAYS)
            photograph(chromium, port, home)
    sys.stdout.write(f"{PICTURE}\n")
    return 0


def record_demo() -> None:
    """Save the report of `make demo` as a picture of the terminal, and its memory's page as another."""
    with made_home() as home:
        command = Command(home, FORCE_COLOR="1", COLUMNS=str(COLUMNS))
        command.patience = DEMO_PATIENCE
        RECORDING.write_text(terminal(command("demo").stdout))
        picture_page(home / "demo")


def terminal(said: str) -> str:
    """Draw the part of the demo's report from the topics to what recall finds, as SVG."""
    lines = list(Text.from_ansi(said).split())
    begin = next(place for place, line in enumerate(lines) if line.plain.strip() == "Mizzen")
    end = next(place for place, line in enumerate(lines) if line.plain.startswith("A dying memory"))
    drawn = Console(record=True, width=COLUMNS, file=StringIO())
    drawn.print(*lines[begin:end], sep="\n")
    # Readers' own fonts, so that a picture fetches nothing from another host.
    return re.sub(r"\s*@font-face \{.*?\}", "", drawn.export_svg(title="make demo"), flags=re.DOTALL)


def picture_page(home: Path) -> None:
    """Run the system over the demo's data, and take pictures of the memory page."""
    command, port = Command(home), free_port()
    with running(command, "The API answers at", "up", "--port", port):
        token = command("token", "add", "--user", "pip", "--scope", "read", "--scope", "manage").stdout.split()[0]
        photograph_page(f"http://127.0.0.1:{port}", token, PICTURE.parent)


@contextmanager
def running(command: Command, ready: str, *arguments: object) -> Iterator[None]:
    """Run a process for the duration of the block, which begins when the process is ready."""
    process = command.start(*arguments)
    try:
        read_until(process, ready)
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=PATIENCE)


def wait(condition: Callable[[], Any]) -> None:
    """Poll a condition, and fail if it does not hold in time."""
    if not wait_until(condition, PATIENCE, pause=0.2):
        raise TimeoutError("Flower does not show what happens.")


def live(command: Command, days: list[Day]) -> None:
    """Play some days, whose notes are sent by the command line and as Celery tasks."""
    command("user", "add", "pip")
    being = command.json("being", "add", "--user", "pip", "mizzen", "--name", "Mizzen")["being_id"]
    servers = running_servers(command.home)
    if servers is None:
        raise RuntimeError("The system has stopped.")
    with Celery("harbour", broker=servers.broker_url, set_as_current=False) as harbour:
        for day in days:
            command("notes", "add", "-", given="\n".join(map(json.dumps, day.notes)).encode())
            harbour.send_task("ingest.notes", [being, [{"type": "todo", "content": "Oil the hinges."}]], queue="ingest")
            command("run", "--json")


def photograph(chromium: str, port: int, home: Path) -> None:
    """Take a picture of the page of tasks, filtered to the patrol's steps."""
    page = f"http://{':'.join(AUTH)}@127.0.0.1:{port}/tasks?limit={len(PATROL_STEPS)}"
    PICTURE.parent.mkdir(exist_ok=True)
    subprocess.run(
        [chromium, *CHROMIUM, f"--user-data-dir={home / 'chromium'}", f"--screenshot={PICTURE}", page],
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )


if __name__ == "__main__":
    sys.exit(main())
