"""The scope of a search, and how its statements are planned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.limits import KEYED_BYTES
from schemas.search import Kind
from store.transaction import Transaction

# No label is as long, so by code points each comes before it.
BEYOND = "\U0010ffff" * KEYED_BYTES


@dataclass(frozen=True, slots=True)
class KeyedFilter:
    """Selects knowledge under keys: a Being's, in a namespace and those below it, whose fields fit a filter."""

    being_id: UUID
    namespace_prefix: Sequence[str]
    filter: Mapping[str, Any]

    @property
    def named(self) -> dict[str, object]:
        """As parameters of a statement."""
        prefix, fields = [*self.namespace_prefix], dict(self.filter)
        return {
            "being": self.being_id,
            # A namespace that begins with the prefix stands from the prefix on, up to the next last label.
            "from": prefix,
            "to": [*prefix[:-1], f"{prefix[-1]}\x01"] if prefix else [BEYOND],
            # Null is not among them: it is also equal to what is absent.
            "equal": Jsonb({name: wanted for name, wanted in fields.items() if isinstance(wanted, str | int | float)}),
            "filter": Jsonb(fields),
        }


# Conditions on a document `d`, which `SearchScope.named` fills in.
IN_TIME: LiteralString = """(%(since)s::timestamptz is null or d.said_at >= %(since)s)
    and (%(until)s::timestamptz is null or d.said_at < %(until)s)
    and (%(as_of)s::timestamptz is null or d.arrived_at <= %(as_of)s)"""
# As memory.is_muted, which Postgres can't inline.
TELLABLE: LiteralString = """(%(muted)s or not exists (
        select from memory.muted_items as x
        where x.owner_id = d.owner_id and x.kind = d.kind::text and x.item_id = d.item_id
    ))"""


@dataclass(frozen=True, slots=True)
class SearchScope:
    """The documents that a search may return.

    Attributes:
        being_id: The Being that searches.
        user_id: The Being's user, who owns the documents that all of the user's Beings may see.
        kinds: The kinds of documents.
        since: Only documents of that time or later.
        until: Only documents of an earlier time.
        as_of: Only documents that had arrived by then.
        muted: Whether muted documents are found too, as by a person who looks for them.
        among: Only this knowledge under keys, where `kinds` is knowledge alone.
    """

    being_id: UUID
    user_id: UUID
    kinds: Sequence[Kind]
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    muted: bool = False
    among: KeyedFilter | None = None

    @property
    def owners(self) -> list[UUID]:
        """The owners whose documents the Being may see."""
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
            "muted": self.muted,
            **(self.among.named if self.among else {}),
        }


def plan_once(tx: Transaction) -> None:
    """Let the statements of this transaction be planned once a connection, and read through indexes alone.

    Planning them takes as long as they do. No table is read from end to end, for it holds all owners' rows; and
    starting parallel workers, or compiling a statement, takes as long as most of these run.
    """
    tx.execute(
        b"set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; set local jit = off;"
        b"set local max_parallel_workers_per_gather = 0",
        prepare=False,
    )
