"""Measures each step of a patrol over ten new notes, by the number of nodes that exist, which must not matter.

The steps are the workers' own tasks, run in this process: claimed, leased, finished, with the ledger's next row.
"""

from collections.abc import Iterator
from statistics import median
from time import perf_counter
from uuid import UUID

from bench.figures import Figure
from bench.ground import Ground
from bench.memories import MeasuredEmbedders, filled_being, scene_note
from memory.intake.notes import accept_notes
from memory.patrol.demand import demand
from providers.thinkers import Thinkers
from schemas.ledger.kinds import PATROL_STEPS
from schemas.settings import Settings
from workers.runtime.resources import Resources

REMEMBERED = (100, 10_000, 100_000)
DIMENSIONS = 384
NOTES = 10
# Without the first, which warms caches.
PATROLS = 6
# A step has slowed down if it takes twice as long and at least a millisecond longer.
GROWTH = 2.0
LEAST = 1.0


def patrol(ground: Ground) -> Iterator[Figure]:
    """Measure every step's median over five patrols, with 100,000 nodes relative to 100."""
    beings = [filled_being(ground, nodes, DIMENSIONS) for nodes in REMEMBERED]
    rounds = [[_walk(ground, being_id, round_) for being_id in beings] for round_ in range(PATROLS)][1:]
    for step in (*PATROL_STEPS, "all steps"):
        few, some, many = (median(walk[step] for walk in walks) for walks in zip(*rounds, strict=True))
        grows = many > GROWTH * few and many - few > LEAST
        yield Figure(
            what=step,
            measured=many,
            unit="ms",
            limit=few,
            against=f"with {REMEMBERED[0]} memories, not {REMEMBERED[2]:,}",
            remark=f"{some:.1f} ms with {REMEMBERED[1]:,}{'; GROWS' if grows else ''}",
        )


def _walk(ground: Ground, being_id: UUID, round_: int) -> dict[str, float]:
    """Run one patrol with ten new notes; returns milliseconds by step, and in total."""
    from tasks import patrol as tasks  # noqa: PLC0415  # Celery's settings read the servers' URLs, which are known only now
    from workers.runtime.app import app  # noqa: PLC0415  # likewise

    settings = Settings(thinker="none")
    app.resources = Resources(settings, ground.store, MeasuredEmbedders(DIMENSIONS), Thinkers(settings))
    first = 1_000_000 + round_ * NOTES
    accept_notes(ground.store, settings, being_id, [scene_note(first + offset) for offset in range(NOTES)])
    run_id = demand(ground.store, settings, being_id)
    took: dict[str, float] = {}
    for step in PATROL_STEPS:
        begun = perf_counter()
        getattr(tasks, step)(f"{being_id}/{run_id}")
        took[step] = 1000 * (perf_counter() - begun)
    return {**took, "all steps": sum(took.values())}
