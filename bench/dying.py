"""Flagging what fades: ten memories of a hundred thousand, beside reading ten rows through an index."""

from collections.abc import Iterator
from time import perf_counter
from uuid import UUID

from psycopg.sql import SQL

from bench.figures import Figure, Times, timed
from bench.ground import Ground
from bench.memories import bare_table, filled_being
from store import patrol

NODES, DIMENSIONS = 100_000, 384
FEW = 100
FADING = 10
TIMES = 20


def dying(ground: Ground) -> Iterator[Figure]:
    """`flag_dying_nodes` where 10 of 100,000 fade, and where 10 of 100 do."""
    many, few = (_flagging(ground, filled_being(ground, nodes, DIMENSIONS)).p50 for nodes in (NODES, FEW))
    scan = SQL("select position from {} where fades_at <= 0").format(bare_table(NODES, DIMENSIONS))
    flag = SQL("update {} set fades_at = fades_at where fades_at <= 0").format(bare_table(NODES, DIMENSIONS))
    with ground.store.transaction() as tx:
        tx.execute(
            SQL("update {} set fades_at = 0 where position < %s").format(bare_table(NODES, DIMENSIONS)), [FADING]
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
    """Flag ten again and again; each time is rolled back, and making them fade is not timed."""
    seconds = []
    for _ in range(TIMES):
        with ground.store.transaction() as tx:
            tx.execute(
                "update memory.memory_nodes set counted_from = -1000 where being_id = %(being)s and node_id in ("
                "select node_id from memory.memory_nodes where being_id = %(being)s and status = 'active'"
                " order by node_id limit %(fading)s)",
                {"being": being_id, "fading": FADING},
            )
            begun = perf_counter()
            patrol.flag_dying(tx, being_id)
            seconds.append(perf_counter() - begun)
            tx.rollback()
    return Times(seconds)
