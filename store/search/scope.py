"""What a search may see, what its query means, and how its statements are planned."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from schemas.search import Kind
from store.nodes.embeddings import Vector
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Within:
    """Where to look.

    Attributes:
        being_id: Whose search it is.
        user_id: Whose Being it is; what all of the user's Beings may see is the user's.
        kinds: What to look among.
        since: Only what was said then or later.
        until: Only what was said before.
        as_of: Only what had arrived by then.
    """

    being_id: UUID
    user_id: UUID
    kinds: Sequence[Kind]
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None

    @property
    def owners(self) -> list[UUID]:
        """Whose documents the Being may see."""
        return [self.being_id, self.user_id]

    @property
    def named(self) -> dict[str, object]:
        """As parameters of a statement."""
        return {
            "being": self.being_id,
            "user": self.user_id,
            "owners": self.owners,
            "kinds": list(self.kinds),
            "since": self.since,
            "until": self.until,
            "as_of": self.as_of,
        }


@dataclass(frozen=True, slots=True)
class Meant:
    """A question's vectors, more than one if it is long, and the model whose vectors they may be compared with."""

    model: str
    vectors: Sequence[Vector]


def plan_once(tx: Transaction) -> None:
    """Let the statements of this transaction be planned once a connection, and read nothing but what indexes name.

    Planning them takes as long as they do. No table is read from end to end, for it holds all owners' rows; and
    starting parallel workers, or compiling a statement, takes as long as most of these run.
    """
    tx.execute(
        b"set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; set local jit = off;"
        b"set local max_parallel_workers_per_gather = 0",
        prepare=False,
    )
