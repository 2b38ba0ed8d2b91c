"""Named, ordered regions of a prompt (regions seed, after the Open Souls pattern).

A working memory is immutable: each method returns a new one, so that several prompts can be made from the same one.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from schemas.context.context import PromptRole

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of a prompt: its role, its content, and the region it belongs to."""

    role: PromptRole
    content: str
    region: str = DEFAULT


@dataclass(frozen=True, slots=True)
class WorkingMemory:
    """The entries of a prompt and the order of its regions.

    Attributes:
        entries: All entries, those of one region in their order.
        order: Names of regions in their order. It may name regions without entries.
    """

    entries: tuple[Entry, ...] = ()
    order: tuple[str, ...] = ()

    @property
    def regions(self) -> tuple[str, ...]:
        """The names of the regions with entries, in their order.

        Regions that the order does not name come right before `default`, as they came (DESIGN section 9). `default`,
        with the message to be answered, is last unless the order names it.
        """
        held = dict.fromkeys(entry.region for entry in self.entries)
        others = [name for name in held if name not in self.order and name != DEFAULT]
        ordered = dict.fromkeys(self.order if DEFAULT in self.order else (*self.order, DEFAULT))
        return tuple(
            region for name in ordered for region in ((*others, name) if name == DEFAULT else (name,)) if region in held
        )

    def with_entries(self, *entries: Entry) -> "WorkingMemory":
        """Add entries, each at the end of its region."""
        return replace(self, entries=self.entries + entries)

    def with_region(self, name: str, *entries: Entry) -> "WorkingMemory":
        """Replace a region's entries by these, which then name this region."""
        kept = self.without_regions(name)
        return kept.with_entries(*(replace(entry, region=name) for entry in entries))

    def without_regions(self, *names: str) -> "WorkingMemory":
        """Remove regions. The order stays, so that a region that is added again returns to its place."""
        return self._where(names, named=False)

    def with_only_regions(self, *names: str) -> "WorkingMemory":
        """Remove all other regions."""
        return self._where(names, named=True)

    def with_regional_order(self, *names: str) -> "WorkingMemory":
        """Order the regions. Those that are not named come right before `default`."""
        return replace(self, order=tuple(dict.fromkeys(names)))

    def assemble(self) -> tuple[Entry, ...]:
        """All entries, region by region."""
        held: dict[str, list[Entry]] = {name: [] for name in self.regions}
        for entry in self.entries:
            held[entry.region].append(entry)
        return tuple(entry for entries in held.values() for entry in entries)

    def _where(self, names: Collection[str], *, named: bool) -> "WorkingMemory":
        return replace(self, entries=tuple(entry for entry in self.entries if (entry.region in names) == named))
