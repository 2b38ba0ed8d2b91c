"""The registry of task kinds, shared by the ledger, the Celery tasks, beat, commands, metrics and tests.

A kind's name is the Celery task's name and, for work of the ledger, a column of every row. Names are stable: rows of a
running system and messages in flight contain them, so renaming a function must not change its kind's name.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, get_args

Queue = Literal["ingest", "patrol", "patrol-llm", "shadow", "rolling", "session-close", "upkeep"]
QUEUES: tuple[Queue, ...] = get_args(Queue)
# Their tasks wait for answers of a model, some for minutes. Tasks of the other queues should not have to wait for them.
LLM_QUEUES: tuple[Queue, ...] = ("patrol-llm", "shadow", "rolling", "session-close")
# Beat's messages, which each worker of `upkeep` takes too: behind work that takes a minute every tick would expire.
TICK_QUEUE: Literal["ticks"] = "ticks"

# Messages that a worker takes from a queue in one round over its queues; one from each other. An answer needs the facts
# of messages before summaries of them, and the latest talk's summary before those of closed sessions. Ticks are sent
# twice a second at most, and most that wait have expired.
SHARES: dict[str, int] = {"shadow": 8, "rolling": 4, "patrol": 4, TICK_QUEUE: 8}


@dataclass(frozen=True)
class Kind:
    """One Celery task: its stable name, and the queue that its messages go to."""

    name: str
    queue: Queue | Literal["ticks"]


@dataclass(frozen=True)
class WorkKind(Kind):
    """Work of the ledger: one row for each (owner, kind, key).

    Attributes:
        outlives_owner: Whether the work is kept and done after its owner is erased.
    """

    outlives_owner: bool = False


@dataclass(frozen=True)
class TickKind(Kind):
    """A periodic task that beat sends; it has no row in the ledger.

    Attributes:
        every: Its period; None is the setting `PATROL_SWEEP_EVERY`.
        expires: The number of periods after which a message that no worker took is dropped.
    """

    every: timedelta | None
    expires: int = 1


@dataclass(frozen=True)
class DoorKind(Kind):
    """A task that other programs send, with content in its arguments."""


PATROL_DUE = WorkKind("patrol.due", "patrol")
JUDGE = WorkKind("shadow.judge", "shadow")
ROLLING_SUMMARY = WorkKind("rolling.summarise", "rolling")
SESSION_SUMMARY = WorkKind("session_close.summarise", "session-close")
SHORT_SESSIONS = WorkKind("session_close.summarise_short", "session-close")
REEMBED = WorkKind("upkeep.reembed", "upkeep")
EMBED_FACTS = WorkKind("upkeep.embed_facts", "upkeep")
CURATE = WorkKind("upkeep.curate", "upkeep")
COMPARE_SEEDS = WorkKind("upkeep.compare_seeds", "upkeep")
SPINE = WorkKind("upkeep.spine", "upkeep")
ACTIVATE = WorkKind("upkeep.activate", "upkeep")
# New messages, nodes and facts are indexed and embedded by beat's ticks below; these tasks do it where a tick failed.
INDEX_WORDS = WorkKind("ingest.index_words", "ingest")
EMBED_TOLD = WorkKind("upkeep.embed_told", "upkeep")
INDEX_VECTORS = WorkKind("upkeep.index_vectors", "upkeep")
# Requested once, by the migration that introduced times.
DATE_TOLD = WorkKind("upkeep.date_told", "upkeep")
# It waits for a user's server, as the tasks of this queue wait for models, and delays no task with a waiting caller.
DELIVER_DUE = WorkKind("session_close.deliver_due", "session-close")
# The streams may contain items for a Being that was erased.
CLEAN_STREAMS = WorkKind("upkeep.clean_streams", "upkeep", outlives_owner=True)

# The steps of a patrol by name, in the order of their Celery chain. The run of a dead step fails; all other dead work
# waits for a person.
STEPS = {
    "embed": WorkKind("patrol.embed", "patrol"),
    "assign": WorkKind("patrol.assign", "patrol"),
    "session_counts": WorkKind("patrol.session_counts", "patrol"),
    "dying": WorkKind("patrol.dying", "patrol"),
    "consolidate": WorkKind("patrol.consolidate", "patrol-llm"),
    "revive": WorkKind("patrol.revive", "patrol"),
    "split": WorkKind("patrol.split", "patrol-llm"),
    "merge": WorkKind("patrol.merge", "patrol"),
    "diary": WorkKind("patrol.diary", "patrol-llm"),
}
PATROL_STEPS = tuple(STEPS)

SWEEP = TickKind("upkeep.sweep", TICK_QUEUE, every=None, expires=10)
TICKS = TickKind("upkeep.ticks", TICK_QUEUE, every=timedelta(seconds=30))
IDLE_SESSIONS = TickKind("upkeep.idle_sessions", TICK_QUEUE, every=timedelta(seconds=10))
RETENTION = TickKind("upkeep.retention", TICK_QUEUE, every=timedelta(minutes=10))
EMBEDDERS = TickKind("upkeep.embedders", TICK_QUEUE, every=timedelta(seconds=30))
# A message is found by its words within a second, and costs no task of its own.
INDEX_TOLD = TickKind("ingest.index_told", "ingest", every=timedelta(seconds=0.5), expires=4)
UNEMBEDDED_TOLD = TickKind("upkeep.unembedded", TICK_QUEUE, every=timedelta(seconds=2))
DUE = TickKind("upkeep.due", TICK_QUEUE, every=timedelta(seconds=2))
VECTOR_INDEXES = TickKind("upkeep.vector_indexes", TICK_QUEUE, every=timedelta(minutes=1))
WAITING_SESSIONS = TickKind("shadow.waiting", TICK_QUEUE, every=timedelta(minutes=1))
WAITING_SUMMARIES = TickKind("rolling.waiting", TICK_QUEUE, every=timedelta(minutes=1))

INGEST_NOTES = DoorKind("ingest.notes", "ingest")
INGEST_MESSAGES = DoorKind("ingest.messages", "ingest")

# All that stand above, by name.
KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (*globals().copy().values(), *STEPS.values()) if isinstance(kind, Kind)
}
WORK: dict[str, WorkKind] = {name: kind for name, kind in KINDS.items() if isinstance(kind, WorkKind)}
BEAT: tuple[TickKind, ...] = tuple(kind for kind in KINDS.values() if isinstance(kind, TickKind))


def chain_from(name: str) -> tuple[WorkKind, ...]:
    """Return the tasks that a message for this kind starts: a patrol step and those after it, else the one task.

    Raises:
        KeyError: No kind of work has that name.
    """
    kind = WORK[name]
    steps = tuple(STEPS.values())
    return steps[steps.index(kind) :] if kind in steps else (kind,)
