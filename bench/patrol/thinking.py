"""Measures a patrol's model calls and tokens for 100 new notes, which must not grow with the nodes that exist.

The canned provider answers, and the calls are counted from the accounts. Half of the new notes fall into one of a
hundred topics, half lie anywhere, which is the most expensive that notes can be.
"""

from collections.abc import Iterator
from uuid import UUID

from bench.figures import Figure
from bench.ground import Ground
from bench.memories import MeasuredEmbedders, filled_being, scene_note
from memory.intake.notes import accept_notes
from providers.thinkers import Thinkers
from samples.canned.provider import CannedProvider, served
from schemas.settings import Settings
from tests.walking import walk_patrol

REMEMBERED = (100, 10_000, 100_000)
DIMENSIONS = 384
NOTES = 100
FIRST = 2_000_000


def thinking(ground: Ground) -> Iterator[Figure]:
    """Count calls, input tokens and output tokens by purpose, with 100,000 nodes relative to 10,000."""
    with served(CannedProvider()) as provider:
        used = [_patrolled(ground, provider, filled_being(ground, nodes, DIMENSIONS)) for nodes in REMEMBERED]
    for purpose in sorted(set().union(*used)):
        for place, what in enumerate(("calls", "tokens read", "tokens written")):
            few, some, many = (by_purpose.get(purpose, (0, 0, 0))[place] for by_purpose in used)
            yield Figure(
                what=f"{purpose}: {what}",
                measured=many,
                unit="",
                limit=some,
                against=f"with {REMEMBERED[1]:,} memories, not {REMEMBERED[2]:,}",
                remark=f"{few:,} with {REMEMBERED[0]}",
            )


def _patrolled(ground: Ground, provider: CannedProvider, being_id: UUID) -> dict[str, tuple[int, int, int]]:
    """Run one patrol with a hundred new notes; returns calls, input tokens and output tokens by purpose."""
    settings = Settings(thinker="anthropic", anthropic_api_key="any", anthropic_base_url=provider.url)
    with ground.store.transaction() as tx:
        # As if each topic had been considered for a split before.
        tx.execute("update memory.clusters set arrivals_since_split = 0 where being_id = %s", [being_id])
    accept_notes(ground.store, settings, being_id, [scene_note(FIRST + offset) for offset in range(NOTES)])
    walk_patrol(ground.store, MeasuredEmbedders(DIMENSIONS), settings, being_id, Thinkers(settings))
    with ground.store.transaction() as tx:
        rows = tx.execute(
            "select purpose, count(*) as calls, sum(input_tokens + cache_read_tokens + cache_write_tokens) as read,"
            " sum(output_tokens) as written from memory.model_calls where being_id = %s and provider = 'anthropic'"
            " group by purpose",
            [being_id],
        ).fetchall()
    return {row["purpose"]: (int(row["calls"]), int(row["read"]), int(row["written"])) for row in rows}
