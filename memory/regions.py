"""Named parts of a prompt: a working memory that a mental process narrows and orders to what it needs.

After the regions of the Open Souls pattern (regions seed). A working memory never changes: each step returns another,
so that a slim one for a decision and the full one for an answer come from the same.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from schemas.context import PromptRole

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Entry:
    """A piece of a prompt: who speaks, what it says, and the region it belongs to."""

    role: PromptRole
    content: str
    region: str = DEFAULT


@dataclass(frozen=True, slots=True)
class WorkingMemory:
    """What a mental process has before it.

    Attributes:
        entries: All pieces, within a region in the order in which they are read.
        order: Names of regions in the order in which they are read. It may name regions that hold nothing (yet).
    """

    entries: tuple[Entry, ...] = ()
    order: tuple[str, ...] = ()

    @property
    def regions(self) -> tuple[str, ...]:
        """The names of the regions that hold something: those that the order names, then the others as they came."""
        held = dict.fromkeys(entry.region for entry in self.entries)
        named = [name for name in dict.fromkeys(self.order) if name in held]
        return (*named, *(name for name in held if name not in self.order))

    def with_entries(self, *entries: Entry) -> "WorkingMemory":
        """Add pieces, each at the end of its region."""
        return replace(self, entries=self.entries + entries)

    def with_region(self, name: str, *entries: Entry) -> "WorkingMemory":
        """Let a region hold these pieces, and nothing that it held before; what region they name plays no part."""
        kept = self.without_regions(name)
        return kept.with_entries(*(replace(entry, region=name) for entry in entries))

    def without_regions(self, *names: str) -> "WorkingMemory":
        """Leave regions away. The order stays: a region that comes back stands where it stood."""
        return self._where(names, named=False)

    def with_only_regions(self, *names: str) -> "WorkingMemory":
        """Leave all other regions away."""
        return self._where(names, named=True)

    def with_regional_order(self, *names: str) -> "WorkingMemory":
        """Read regions in this order. Those that are not named come after them."""
        return replace(self, order=tuple(dict.fromkeys(names)))

    def assemble(self) -> tuple[Entry, ...]:
        """All pieces, region by region."""
        held: dict[str, list[Entry]] = {name: [] for name in self.regions}
        for entry in self.entries:
            held[entry.region].append(entry)
        return tuple(entry for pieces in held.values() for entry in pieces)

    def _where(self, names: Collection[str], *, named: bool) -> "WorkingMemory":
        return replace(self, entries=tuple(entry for entry in self.entries if (entry.region in names) == named))
