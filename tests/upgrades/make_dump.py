"""Makes the dump that upgrades from a release are tested with: `python -m tests.upgrades.make_dump NAME`.

It runs the system in a temporary home, with embedded servers, a worker, beat and the canned provider in place of a
model; hands in the first days of samples/ and uses every part of the product through the `patrol` command; and writes
the schema `memory` with its rows to tests/upgrades/releases/NAME.dump, in pg_dump's custom format. It takes about a
minute.

Beside it, NAME.statements.gz has each statement that these processes sent, without what was given: the next version's
schema must accept them, since processes of both run side by side while one replaces the other.

Rows that no command causes at will are missing from some tables: EMPTY names them.
"""

import json
import os
import subprocess
import sys
import tempfile
from itertools import takewhile
from pathlib import Path
from typing import Any

import psycopg

from cli.demo import canned
from cli.operations import stack
from schemas.settings import CHECKOUT
from store.migrate import migrate
from tests.upgrades import statements
from workers.embedded.postgres import as_application, program
from workers.embedded.processes import wait_until
from workers.embedded.servers import embedded_servers
from workers.embedded.supervisor import Supervisor

RELEASES = Path(__file__).parent / "releases"
DAYS = 5
SECRET = "the secret that keys in the dumps of the tests are sealed with"  # noqa: S105  # of these dumps alone
PATIENCE = 240.0
EMPTY = {
    # Recall that meets a locked row, a provider batch under way, names alike enough, a vault request of the HTTP API, a
    # snapshot of a Being that has the parts of one.
    *("pending_activations", "provider_batches", "entity_merges", "vault_idempotency", "session_snapshot"),
    # Requests of the HTTP API, of the proxy, and of the memory page.
    *("request_answers", "answer_traces", "transcript_turns", "unrecorded_turns", "page_sessions", "webhooks"),
    # What is retracted, told in confidence, asked for in words, or due.
    *(
        "applied_retractions",
        "awaited_retractions",
        "retracted_messages",
        "confidences",
        "spoken_requests",
        "due_notices",
    ),
    # What is waiting, or went wrong.
    *("search_queue", "embeddings", "owed_thinking", "provider_breakers", "unanswered_questions", "dropped_items"),
    *("budget_warnings", "scene_messages"),
}
LISTS = ("partner_rules", "preferences", "relationships", "partner_tools", "partner_map", "skills")
RAIN = {"action": "It rained on the quay all day.", "actors": ["Mizzen"], "when": ["2026-03-06"]}
SEEDS: list[dict[str, Any]] = [
    {"type": "PROFILE", "content": "Rings the third bell on Thursdays.", "entity_refs": ["thing:third_bell"]},
    {"type": "PEOPLE", "content": "Cord paints signs.", "entity_refs": ["person:cord_pell"]},
    {"type": "PEOPLE", "content": "Cord owns two ladders.", "entity_refs": ["person:cord_pel"]},
    {"type": "OPEN_LOOP", "content": "Fetch the ladder back from Cord."},
]


class Patrol:
    """The `patrol` command in one home."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = environment

    def __call__(self, *arguments: str, given: str = "") -> str:
        """Run a command; returns what it printed."""
        done = subprocess.run(
            [CHECKOUT / "patrol", *arguments],
            input=given,
            capture_output=True,
            env=self._environment,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"patrol {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout

    def json(self, *arguments: str) -> Any:
        """Run a command with `--json`; returns its answer."""
        return json.loads(self(*arguments, "--json"))


def make(name: str) -> None:
    """Write the dump of this checkout's schema, with data."""
    RELEASES.mkdir(exist_ok=True)
    port = canned.free_port()
    with tempfile.TemporaryDirectory(prefix="patrol-") as directory:
        home = Path(directory)
        os.environ |= {
            "PATROL_HOME": str(home),
            "DATABASE_URL": "",
            "REDIS_URL": "",
            "PATROL_EMBEDDER": "minilm",
            "PATROL_JUDGE_QUIET": "PT0S",
            "PATROL_SHORT_SESSION_WAIT": "PT0S",
            "PATROL_SECRET_KEY": SECRET,
            **canned.settings(port),
        }
        with (
            embedded_servers(home, durable=False) as servers,
            Supervisor(home / "logs") as supervisor,
        ):
            migrate(servers.database_url, as_application(servers.database_url))
            with psycopg.connect(servers.database_url, autocommit=True) as database:
                database.execute("alter system set log_statement = 'all'")
                database.execute("select pg_reload_conf()")
            supervisor.start([canned.process(port), stack.worker(2, _ready), stack.beat(home, _ready)])
            with psycopg.connect(servers.database_url, autocommit=True) as database:
                _use(Patrol(dict(os.environ)), database)
                command = ["--format=custom", "--no-owner", "--schema=memory", "--dbname", servers.database_url]
                subprocess.run([program("pg_dump"), *command, "--file", RELEASES / f"{name}.dump"], check=True)
                _write_statements(RELEASES / f"{name}.statements.gz", servers.postgres.log, database)
                _report(database)


def _write_statements(path: Path, log: Path, database: psycopg.Connection) -> None:
    """Write the statements of a server's log, without those that only the types of what was given explain."""
    seen = statements.logged(log.read_text(encoding="utf-8"))
    unexplained = statements.refused(database, seen)
    statements.write(path, [statement for statement in seen if statement not in unexplained])
    sys.stdout.write(f"{len(seen)} statements, {len(unexplained)} of them left out\n")


def _use(patrol: Patrol, database: psycopg.Connection) -> None:
    patrol("user", "add", "pip", "--time-zone", "Europe/London")
    patrol("being", "add", "mizzen", "--user", "pip", "--name", "Mizzen")
    days = f"2026-03-{DAYS + 1:02}"
    patrol("notes", "add", "-", given=_sample("month.jsonl", lambda line: line["metadata"]["day"] < days))
    patrol("messages", "add", "-", given=_sample("conversation.jsonl", lambda line: line["created_at"] < days))
    patrol("facts", "seed", "-", given="\n".join(map(json.dumps, SEEDS)))
    _settle(database)
    patrol("run")
    patrol("run")

    patrol("soul", "set", "--voice", "Plain, and a little salty.", "--mood", "Hopeful.")
    for kind in LISTS:
        patrol("persona", "add", kind, f"An entry of {kind}", "Keep the kettle away from the wireless.")
    patrol("user-model", "set", "Pip mends what others throw away.", "--user", "pip")
    patrol("mind", "put", "userNotes", "The stove is lit.")
    patrol("profile", "set", "innerVoice", "core", "instructions", "default", "vault")
    patrol("vault", "add", "The workshop closes at six.", "--scope", "shared", "--category", "bio")
    patrol("vault", "add", "Twelve umbrellas are done.", "--tier", "register", "--topic", "count")
    patrol("vault", "topic", "count", "Thirteen umbrellas are done.")
    patrol("vault", "profile", "-", given="memory: {enabled: true, max_items: 5, similarity_threshold: 0.7}")
    patrol("context", "Who is Terence?")
    pinned, erased, *_ = (node["node_id"] for node in patrol.json("recall", "the workshop's umbrellas")["nodes"])
    patrol("pin", pinned)
    fact, muted, *_ = (fact["fact_id"] for fact in patrol.json("facts", "list")["facts"])
    patrol("facts", "pin", fact)
    patrol("mute", "fact", muted)
    patrol("token", "add", "--user", "pip", "--scope", "read")
    patrol("operator", "add")

    archive = patrol("export", "mizzen")
    patrol("import", "-", "--being", "copy", "--user", "pip", given=archive)
    patrol("rooms", "add", "The workshop", "mizzen", "copy", "--user", "pip")
    patrol("erase", "node", erased, "--being", "mizzen", "--yes")
    _settle(database)
    patrol("being", "budget", "--being", "mizzen", "--tokens", "1")
    patrol("notes", "add", "-", "--being", "mizzen", given=json.dumps({"type": "scene", "content": RAIN}))
    patrol("run", "--being", "mizzen")
    patrol("key", "add", "--user", "pip", "--provider", "anthropic", given="sk-ant-of-a-test-0123456789")


def _sample(name: str, wanted: Any) -> str:
    lines = (CHECKOUT / "samples" / name).read_text().splitlines(keepends=True)
    return "".join(takewhile(lambda line: wanted(json.loads(line)), lines))


def _settle(database: psycopg.Connection) -> None:
    """Wait until no work is left that is due within a minute."""
    unfinished = """
        select count(*) from memory.work
        where state in ('ready', 'running') and next_at < clock_timestamp() + interval '1 minute'
    """
    if not wait_until(lambda: database.execute(unfinished).fetchone() == (0,), PATIENCE):
        raise SystemExit("Work is left in the ledger: see `patrol work list`.")


def _report(database: psycopg.Connection) -> None:
    tables = database.execute(
        "select relname from pg_class where relnamespace = 'memory'::regnamespace and relkind = 'r' order by relname"
    ).fetchall()
    empty = {table for (table,) in tables if database.execute(f'select from memory."{table}" limit 1').rowcount == 0}
    sys.stdout.write(f"Tables without rows: {', '.join(sorted(empty)) or 'none'}\n")
    if empty - EMPTY:
        raise SystemExit("These are more than are expected: use the product some more in `_use`.")


def _ready(_: str) -> None:
    pass


if __name__ == "__main__":
    make(sys.argv[1])
