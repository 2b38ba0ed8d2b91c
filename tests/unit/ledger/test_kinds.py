"""Every task has one registered kind, whose name is stable."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from schemas.ledger.kinds import BEAT, KINDS, QUEUES, STEPS, TICK_QUEUE, WORK, TickKind, WorkKind, chain_from

ROOT = Path(__file__).resolve().parents[3]
NOWHERE = {"DATABASE_URL": "postgresql://nowhere", "REDIS_URL": "redis://nowhere"}
LITERAL = re.compile(r"'((?:ingest|patrol|shadow|rolling|session_close|upkeep)\.[a-z_]+)'")
# Rows of running systems and messages under way carry these names. A name that changes here needs a migration of the
# rows, and workers that still know the old one while messages for it are under way.
STABLE = {
    "ingest.index_told": "ingest",
    "ingest.index_words": "ingest",
    "ingest.messages": "ingest",
    "ingest.notes": "ingest",
    "patrol.assign": "patrol",
    "patrol.consolidate": "patrol-llm",
    "patrol.diary": "patrol-llm",
    "patrol.due": "patrol",
    "patrol.dying": "patrol",
    "patrol.embed": "patrol",
    "patrol.merge": "patrol",
    "patrol.revive": "patrol",
    "patrol.session_counts": "patrol",
    "patrol.split": "patrol-llm",
    "rolling.summarise": "rolling",
    "rolling.waiting": "ticks",
    "session_close.deliver_due": "session-close",
    "session_close.summarise": "session-close",
    "session_close.summarise_short": "session-close",
    "shadow.judge": "shadow",
    "shadow.waiting": "ticks",
    "upkeep.activate": "upkeep",
    "upkeep.clean_streams": "upkeep",
    "upkeep.compare_seeds": "upkeep",
    "upkeep.curate": "upkeep",
    "upkeep.date_told": "upkeep",
    "upkeep.due": "ticks",
    "upkeep.embed_facts": "upkeep",
    "upkeep.embed_told": "upkeep",
    "upkeep.embedders": "ticks",
    "upkeep.idle_sessions": "ticks",
    "upkeep.index_vectors": "upkeep",
    "upkeep.reembed": "upkeep",
    "upkeep.retention": "ticks",
    "upkeep.spine": "upkeep",
    "upkeep.sweep": "ticks",
    "upkeep.ticks": "ticks",
    "upkeep.unembedded": "ticks",
    "upkeep.vector_indexes": "ticks",
}


# Tasks that must be refused when their module is imported.
REFUSED = [
    "step.step(WorkKind('upkeep.tidy', 'upkeep'), do)",
    "step.step(WorkKind('upkeep.curate', 'patrol'), do)",
    "step.step(CURATE, do, bury=print)",
    "step.step(STEPS['embed'], do)",
    "step.tick(TickKind('upkeep.tidy', 'ticks', every=None))",
]
TRIED = "".join(f"try:\n    {one}\nexcept ValueError as fault:\n    refused.append(str(fault))\n" for one in REFUSED)
PROGRAM = f"""
import json
from celery import signals
from workers.runtime.app import app
from schemas.ledger.kinds import *
from workers.runtime import step
app.loader.import_default_modules()
tasks = {{name: task.queue for name, task in app.tasks.items() if not name.startswith('celery.')}}
taken = []
for served in (['ingest', 'upkeep'], ['ingest']):
    app.amqp.queues.select(served)
    signals.celeryd_after_setup.send(sender='worker@here', instance=None, conf=app.conf)
    taken.append(sorted(app.amqp.queues.consume_from))
refused, do = [], lambda on, claim: None
{TRIED}
print(json.dumps({{"tasks": tasks, "taken": taken, "refused": refused}}))
"""


@pytest.fixture(scope="module")
def worker():
    """The state of a process whose Celery app is set up like a worker's."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={**os.environ, **NOWHERE},
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def test_the_names_and_queues_are_those_of_running_systems():
    assert {kind.name: kind.queue for kind in KINDS.values()} == STABLE
    assert set(STABLE.values()) == {*QUEUES, TICK_QUEUE}


def test_a_worker_of_upkeep_takes_the_ticks(worker):
    assert worker["taken"] == [["ingest", "ticks", "upkeep"], ["ingest"]]


def test_every_kind_has_one_task_and_every_task_has_a_kind(worker):
    assert worker["tasks"] == STABLE


def test_a_task_whose_kind_is_not_registered_so_is_refused_at_import(worker):
    refused = worker["refused"]
    assert len(refused) == len(REFUSED)
    assert all(re.match(r"(upkeep|patrol)\.|Dead work", refusal) for refusal in refused), refused


def test_work_ticks_and_doors_are_told_apart():
    assert all(isinstance(kind, WorkKind) for kind in WORK.values())
    assert all(isinstance(kind, TickKind) for kind in BEAT)
    assert {name for name in KINDS if name not in WORK} - {kind.name for kind in BEAT} == {
        "ingest.messages",
        "ingest.notes",
    }


def test_a_message_for_a_step_starts_the_rest_of_its_chain():
    assert [kind.name for kind in chain_from("patrol.split")] == ["patrol.split", "patrol.merge", "patrol.diary"]
    assert [kind.name for kind in chain_from("patrol.due")] == ["patrol.due"]
    assert chain_from("patrol.embed") == tuple(STEPS.values())


def test_sql_names_registered_kinds_alone():
    named = {
        name
        for folder, pattern in (("sql/functions", "*.sql"), ("store", "*.py"))
        for path in (ROOT / folder).rglob(pattern)
        for name in LITERAL.findall(path.read_text("utf-8"))
    }
    assert named <= KINDS.keys()
