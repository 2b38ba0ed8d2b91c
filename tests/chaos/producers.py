"""Producers of input, and the manifest of each item and its door's answer."""

import json
import random
import threading
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from schemas.intake.notes import Receipt
from tests.chaos.doors import Change, Door, ItemKind, NoAnswer

TOPICS = {
    "bakery": ["oven", "bread", "dough", "flour", "baker", "customer", "bake", "counter", "morning", "shop"],
    "sea": ["sea", "wave", "boat", "harbour", "wind", "sail", "shore", "gull", "tide", "swim"],
    "family": ["sister", "mother", "dinner", "call", "birthday", "kitchen", "laugh", "visit", "photo", "letter"],
    "project": [
        "client",
        "deadline",
        "contract",
        "invoice",
        "meeting",
        "project",
        "budget",
        "plan",
        "office",
        "report",
    ],
}
PAUSE = 0.5
# After so many batches of all, up to so many messages are retracted, restored or edited.
CHANGES = 0.4
CHANGED = 6
# Messages are of one day, in and out of order, with pauses that separate sessions.
DAWN = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)
MINUTES = 14 * 60


class Kind(StrEnum):
    """The expected result of an item."""

    MEMORY = "a memory"
    UNPARSABLE = "kept and marked"
    NOTE = "kept"
    MESSAGE = "said in a session"
    REFUSED = "refused at the door"


@dataclass
class Item:
    """One item that a producer sends.

    Attributes:
        name: The producer's own id of it.
        being_id: To whose memory.
        body: The sent item.
        kind: Its expected outcome.
        what: Which way it goes.
        sent: How often it was sent.
        answered: Whether a door has answered for it.
        impostor: Whether it says something else under the id of an item that was accepted.
        contested: Whether there is an impostor of it.
        stands: Whether it was not retracted; of a message.
        versions: The bodies that were retracted, the last one at the end.
    """

    name: str
    being_id: UUID
    body: Any
    kind: Kind
    what: ItemKind = "notes"
    sent: int = 0
    answered: bool = False
    impostor: bool = False
    contested: bool = False
    stands: bool = True
    versions: list[Any] = field(default_factory=list)


@dataclass
class Manifest:
    """All items that were sent, with their answers; used by several threads."""

    items: dict[str, Item] = field(default_factory=dict)
    accepted: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    tally: Counter[str] = field(default_factory=Counter)
    unanswered_changes: dict[str, tuple[Door, Sequence[Item], Change]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def change(self, door: Door, items: Sequence[Item], change: Change) -> bool:
        """Retract or restore messages of a Being through a door; returns false if there was no answer.

        A change is sent again through the same door, which knows it by its id: a copy that was delayed has no effect.
        """
        with self._lock:
            self.unanswered_changes[change.id_] = (door, items, change)
        try:
            door.change(items[0].being_id, change)
        except NoAnswer:
            with self._lock:
                self.tally["changes without an answer"] += 1
            return False
        with self._lock:
            del self.unanswered_changes[change.id_]
            self.tally["messages retracted" if change.what == "retract" else "messages restored"] += len(items)
            for item in items:
                if change.what == "retract":
                    item.versions.append(item.body)
                else:
                    item.body = item.versions.pop()
                item.stands = change.what == "restore"
        return True

    def hand_in(self, door: Door, being_id: UUID, batch: Sequence[Item]) -> bool:
        """Send a batch through a door and record the answer; returns false if there was none."""
        with self._lock:
            for item in batch:
                self.items.setdefault(item.name, item).sent += 1
            self.tally["items sent"] += len(batch)
        try:
            receipt = door.hand_in(batch[0].what, being_id, [item.body for item in batch])
        except NoAnswer:
            with self._lock:
                self.tally["batches without an answer"] += 1
            return False
        with self._lock:
            self._write_down(receipt, batch)
        return True

    def unanswered(self) -> list[Item]:
        """Return the items without an answer."""
        with self._lock:
            return [item for item in self.items.values() if not item.answered]

    def _write_down(self, receipt: Receipt, batch: Sequence[Item]) -> None:
        refused = {trouble.position for trouble in receipt.rejected}
        self.tally["items accepted"] += receipt.accepted
        self.tally["repetitions noticed"] += receipt.duplicates
        self.tally["items refused"] += len(refused)
        self.tally["impostors found out"] += len(receipt.conflicts)
        conflicting = {trouble.position for trouble in receipt.conflicts}
        for position, item in enumerate(batch):
            item.answered = True
            if (position in refused) != (item.kind is Kind.REFUSED):
                self.wrong.append(f"{item.name} was {'' if position in refused else 'not '}refused")
            if (position in conflicting) != item.impostor:
                self.wrong.append(f"{item.name} was {'' if position in conflicting else 'not '}said to be an impostor")
            if (receipt.ids[position] is None) != (position in refused):
                self.wrong.append(f"{item.name} has no id, or one though it was refused")


class Producer(threading.Thread):
    """Sends items until it is told to stop: most of them once, some again, some late, some malformed.

    Args:
        name: Its name, with which its items' ids begin.
        seed: The seed of its random numbers.
        beings: For whom it speaks.
        doors: Ways in; one is drawn for each batch.
        manifest: The file in which it records its actions.
        steady: Beings whose messages are never retracted.
        over: Set when it is to stop.
    """

    def __init__(
        self,
        name: str,
        seed: int,
        beings: Sequence[UUID],
        doors: Sequence[Door],
        manifest: Manifest,
        steady: Collection[UUID],
        over: threading.Event,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._chance = random.Random(f"{seed} {name}")
        self._beings = beings
        self._doors = doors
        self._manifest = manifest
        self._steady = steady
        self._over = over
        self._count = 0
        self._again: list[Item] = []
        self._messages: list[Item] = []
        self._change: tuple[Door, Sequence[Item], Change] | None = None
        # Ensures one item of each kind, however few are sent.
        self._draws = [0.0, 0.06, 0.10, 0.14]

    def run(self) -> None:
        """Send batch after batch."""
        while not self._over.wait(self._chance.uniform(0, 2 * PAUSE)):
            being_id = self._chance.choice(self._beings)
            what, make = self._chance.choice([("notes", self._note), ("messages", self._message)])
            batch = [make(being_id) for _ in range(self._chance.randint(1, 5))]
            late = [
                item
                for item in self._again
                if (item.being_id, item.what) == (being_id, what) and self._chance.random() < 1 / 3
            ]
            self._again = [item for item in self._again if item not in late]
            # Sent once to three times: again in the same batch, or in a later one.
            self._again += [item for item in batch if self._chance.random() < 1 / 3]
            batch += [item for item in batch if self._chance.random() < 1 / 6]
            batch += late + [_impostor(item) for item in late if _is_certain(item) and self._chance.random() < 1 / 10]
            if being_id not in self._steady:
                self._messages += [item for item in batch if item.kind is Kind.MESSAGE and not item.impostor]
            self._chance.shuffle(batch)
            if not self._manifest.hand_in(self._chance.choice(self._doors), being_id, batch):
                self._again += batch
            if self._chance.random() < CHANGES:
                self._change_some()

    def _change_some(self) -> None:
        """Retract messages, or restore or edit some that were; first repeat the change that has no answer."""
        if self._change is None:
            waiting = {item.name for item in self._again}
            free = {
                item.name: item
                for item in self._messages
                if item.answered and not item.contested and item.name not in waiting
            }
            if not free:
                return
            one = self._chance.choice([*free.values()])
            alike = [item for item in free.values() if (item.being_id, item.stands) == (one.being_id, one.stands)]
            items = self._chance.sample(alike, min(len(alike), self._chance.randint(1, CHANGED)))
            if not one.stands and self._chance.random() < 1 / 2:
                self._edit(items)
                return
            self._count += 1
            names = [item.name for item in items]
            change = Change(f"{self.name}-change-{self._count}", "retract" if one.stands else "restore", names)
            self._change = (self._chance.choice(self._doors), items, change)
        if self._manifest.change(*self._change):
            self._change = None

    def _edit(self, items: Sequence[Item]) -> None:
        """Hand retracted messages in again, in other words."""
        for item in items:
            item.body = {**item.body, "content": self._words(f"{item.name}-edit-{len(item.versions)}")}
            item.stands, item.answered = True, False
        self._manifest.tally["messages edited"] += len(items)
        if not self._manifest.hand_in(self._chance.choice(self._doors), items[0].being_id, items):
            self._again += items

    def _words(self, name: str) -> str:
        """The text that is said: each has a word of its own, which derived texts repeat."""
        mark = mark_of(name)
        return self._chance.choice(
            [
                f"I said {mark}.",
                f"I like {mark} tea.",
                f"I will water the {mark} tomorrow.",
                f"Yesterday the old harbour clock struck thirteen while {mark} slept under the kitchen table.",
            ]
        )

    def _next_name(self) -> str:
        self._count += 1
        return f"{self.name}-{self._count:05}"

    def _message(self, being_id: UUID) -> Item:
        name = self._next_name()
        minute = self._chance.choice([self._chance.randint(0, MINUTES), 60 * self._chance.randint(0, 13)])
        message = {
            "id": name,
            "role": self._chance.choice(["user", "assistant", "other"]),
            "content": self._words(name),
            "created_at": (DAWN + timedelta(minutes=minute)).isoformat(),
        }
        if self._chance.random() < 0.06:
            broken = self._chance.choice([{"role": "chorus"}, {"content": " "}, {"created_at": "2999-01-01T00:00:00Z"}])
            return Item(name, being_id, message | broken, Kind.REFUSED, "messages")
        return Item(name, being_id, message, Kind.MESSAGE, "messages")

    def _note(self, being_id: UUID) -> Item:
        name = self._next_name()
        draw = self._draws.pop() if self._draws else self._chance.random()
        if draw < 0.06:
            return Item(name, being_id, self._broken(name), Kind.REFUSED)
        if draw < 0.10:
            content = self._chance.choice(["It rained all day.", '{"action": "half a sce', '{"action": ""}'])
            return Item(name, being_id, {"id": name, "type": "scene", "content": content}, Kind.UNPARSABLE)
        if draw < 0.14:
            return Item(name, being_id, {"id": name, "type": "todo", "content": f"Remember {name}."}, Kind.NOTE)
        scene = self._scene(name)
        content = json.dumps(scene) if draw < 0.2 else scene
        return Item(name, being_id, {"id": name, "type": "scene", "content": content}, Kind.MEMORY)

    def _scene(self, name: str) -> dict[str, Any]:
        topic, words = self._chance.choice([*TOPICS.items()])
        said = " ".join(self._chance.sample(words, 5))
        return {
            # Sometimes repeats a text, which must be paid for only once.
            "action": f"{topic}: {said}" + ("" if self._chance.random() < 0.2 else f" {name}"),
            "actors": ["Mira"],
            "when": [f"2026-03-{self._chance.randint(1, 28):02}"],
            "importance": round(self._chance.choice([self._chance.random(), self._chance.uniform(0.03, 0.1)]), 3),
        }

    def _broken(self, name: str) -> Any:
        scene = {"action": "a", "actors": ["Mira"], "when": ["2026-03-02"]}
        return self._chance.choice(
            [
                {"id": name, "type": "dream", "content": "a"},
                {"id": name, "type": "scene", "content": {"action": "No actors.", "when": ["2026-03-02"]}},
                {"id": name, "type": "scene", "content": {**scene, "importance": "\0"}},
                {"id": name, "type": "scene", "content": {**scene, "mood": "unknown field"}},
                {"id": name, "type": "knowledge", "content": "Without a title."},
                {"id": name, "type": "scene", "content": {**scene, "sensory": ["too large " * 7000]}},
                "no object at all",
                None,
            ]
        )


def mark_of(name: str) -> str:
    """A word that is in nothing but what rests on the message of this name."""
    return f"zq{name.replace('-', '')}x"


def _is_certain(item: Item) -> bool:
    """Whether an impostor of the item is found out: other words under an id that was retracted are an edit."""
    return item.answered and item.stands and not item.versions


def _impostor(item: Item) -> Item:
    """The same id with other content, if the item has an id."""
    if item.kind is Kind.REFUSED:
        return item
    item.contested = True
    return replace(item, body={**item.body, "metadata": {"said": "by another"}}, impostor=True)
