"""A naive model of the patrol seed's rules: every counter is stored, and every rule reads every node.

The ledger gets to the same result by other ways (one counter for all nodes, a stored patrol at which a node fades). A
test lets both live through the same life and compares them after every step.
"""

import math
from dataclasses import dataclass, field


class PlainRefusal(Exception):
    """An operation violates the rules, and changed nothing."""


@dataclass
class PlainNode:
    """One node. `asked_since_death` counts its reactivations while dead."""

    importance: float
    session_count: int = 0
    status: str = "active"
    fresh: bool = True
    pinned: bool = False
    forgotten: bool = False
    reactivation_count: int = 0
    asked_since_death: int = 0
    absorbed_into: int | None = None

    @property
    def effective_importance(self) -> float:
        """The seed's decay; a pinned node keeps its importance."""
        return self.importance if self.pinned else self.importance * math.exp(-self.session_count / 30)

    @property
    def faded(self) -> bool:
        return self.effective_importance <= 0.05

    @property
    def living(self) -> bool:
        return self.status != "dead"

    @property
    def patrols_left(self) -> int | None:
        """The number of patrols until it is dying, found by trying; negative if it is overdue."""
        if self.status != "active" or self.pinned:
            return None
        count = 0
        while self.importance * math.exp(-count / 30) > 0.05:
            count += 1
        return count - self.session_count

    def die(self) -> None:
        self.status = "dead"
        self.asked_since_death = 0


@dataclass
class PlainMemory:
    """All nodes of one Being, by their order of creation."""

    nodes: list[PlainNode] = field(default_factory=list)
    hours_since_tick: float = math.inf

    def remember(self, importance: float) -> None:
        self.nodes.append(PlainNode(importance))

    def pass_hours(self, hours: float) -> None:
        self.hours_since_tick += hours

    def tick(self, *, demanded: bool) -> None:
        """❷ Count a patrol that was demanded, or that is a day or more after the last one that was counted."""
        if demanded or self.hours_since_tick >= 24:
            self.hours_since_tick = 0
            for node in self.nodes:
                if node.status == "active":
                    node.session_count += 1

    def flag_dying(self) -> None:
        """❸."""
        for node in self.nodes:
            if node.status == "active" and not node.pinned and node.faded:
                node.status = "dying"

    def absorb(self, survivor: int, absorbed: list[int]) -> None:
        """❹ Merge: the survivor gains 0.05 once, however many it absorbs."""
        gone = [self.nodes[name] for name in absorbed]
        if not self.nodes[survivor].living or survivor in absorbed or not absorbed:
            raise PlainRefusal
        if any(not node.living or node.pinned for node in gone):
            raise PlainRefusal
        for node in gone:
            node.die()
            node.absorbed_into = survivor
            node.fresh = False
        self.nodes[survivor].importance = min(1.0, self.nodes[survivor].importance + 0.05)
        self.nodes[survivor].fresh = False

    def make_dead(self, names: list[int]) -> None:
        """❹ Make dying nodes dead that no merge absorbs."""
        gone = [self.nodes[name] for name in names]
        if any(node.status != "dying" or node.fresh for node in gone):
            raise PlainRefusal
        for node in gone:
            node.die()

    def settled(self) -> None:
        """❹ Nodes that were shown to the model are no longer fresh."""
        for node in self.nodes:
            if node.living:
                node.fresh = False

    def revive_dead(self) -> None:
        """❺ Revive dying nodes above the threshold, and dead ones that were found twice and not absorbed."""
        for node in self.nodes:
            asked = node.asked_since_death >= 2 and node.absorbed_into is None and not node.forgotten
            if not node.faded and (node.status == "dying" or (node.status == "dead" and asked)):
                node.status = "active"

    def found(self, names: set[int]) -> None:
        """Activate the found nodes, and the final survivors of absorbed ones, once for each answer."""
        credited = set()
        for name in names:
            if not self.nodes[name].forgotten:
                credited |= {name, self.final_survivor(name)}
        for node in (self.nodes[name] for name in credited):
            if node.forgotten:
                continue
            credit = 1 if node.living else 2
            node.reactivation_count += credit
            node.asked_since_death += credit
            node.session_count = 0
            if node.status == "dying":
                node.status = "active"

    def final_survivor(self, name: int) -> int:
        into = self.nodes[name].absorbed_into
        return name if into is None else self.final_survivor(into)

    def pin(self, name: int) -> None:
        if not self.nodes[name].living:
            raise PlainRefusal
        self.nodes[name].pinned = True
        self.nodes[name].status = "active"

    def unpin(self, name: int) -> None:
        self.nodes[name].pinned = False

    def forget(self, name: int) -> None:
        node = self.nodes[name]
        if node.pinned:
            raise PlainRefusal
        if node.living:
            node.die()
        node.forgotten = True

    def revive(self, name: int) -> None:
        node = self.nodes[name]
        node.status = "active"
        node.session_count = 0
        node.forgotten = False
        node.absorbed_into = None

    def weigh(self, name: int, importance: float) -> None:
        self.nodes[name].importance = importance
