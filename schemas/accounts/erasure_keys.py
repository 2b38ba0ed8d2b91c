"""The keys of the digests by which erased items are recognised."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class ErasureKey:
    """The key of a user's digests; `sealed`: encrypted with the platform's secret."""

    user_id: UUID
    key: bytes
    sealed: bool
