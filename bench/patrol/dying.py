"""Measures `flag_dying_nodes` on 10 of 100,000 nodes, relative to reading ten rows through an index."""

from collections.abc import Iterator
from time import perf_counter
from uuid import UUID

from psycopg.sql import SQL

from bench.figures import Figure, Times, timed
from bench.ground import Ground
from bench.memories import bare_table, filled_being
from store.patrol import steps

NODES, DIMENSIONS = 100_000, 384
FEW = 100
FADING = 10
TIMES = 20


def dying(ground: Ground) -> Iterator[Figure]:
    """Measure `flag_dying_nodes` where 10 of 100,000 nodes fade, and where 10 of 100 do."""
    many, few = (_flagging(ground, filled_being(ground, nodes, DIMENSIONS)).p50 for nodes in (NODES, FEW))
    scan = SQL("select position from {} where fades_at_counter <= 0").format(bare_table(NODES, DIMENSIONS))
    flag = SQL("update {} set fades_at_counter = fades_at_counter where fades_at_counter <= 0").format(
        bare_table(NODES, DIMENSIONS)
    )
    with ground.store.transaction() as tx:
        tx.execute(
            SQL("update {} set fades_at_counter = 0 where position < %s").format(bare_table(NODES, DIMENSIONS)),
            [FADING],
        )
        bare = timed(lambda: tx.execute(scan).fetchall(), lambda: tx.execute(flag), times=TIMES)
        tx.rollback()
    read, written = (took.p50 for took in bare)
    for limit, against in (
        (read, "index scan of 10 bare rows"),
        (written, "update of 10 bare rows"),
        (few, f"{FADING} of {FEW} fade"),
    ):
        yield Figure(what=f"{FADING} of {NODES:,} fade", measured=many, unit="ms", limit=limit, against=against)


def _flagging(ground: Ground, being_id: UUID) -> Times:
    """Flag ten nodes repeatedly. Each flagging is rolled back; preparing them is not timed."""
    seconds = []
    for _ in range(TIMES):
        with ground.store.transaction() as tx:
            tx.execute(
                "update memory.memory_nodes set session_count_base = -1000 where being_id = %(being)s and node_id in ("
                "select node_id from memory.memory_nodes where being_id = %(being)s and status = 'active'"
                " order by node_id limit %(fading)s)",
                {"being": being_id, "fading": FADING},
            )
            begun = perf_counter()
            steps.flag_dying(tx, being_id)
            seconds.append(perf_counter() - begun)
            tx.rollback()
    return Times(seconds)
