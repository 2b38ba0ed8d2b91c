"""Counts tasks by Celery's worker events."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from schemas.ledger.kinds import BEAT


class TaskCount:
    """The number of tasks of each name that workers received, including redelivered and redundant ones."""

    def __init__(self) -> None:
        self.by_name: Counter[str] = Counter()

    def received(self, event: dict[str, Any]) -> None:
        """Count a task that a worker received."""
        self.by_name[event["name"]] += 1

    @property
    def beats(self) -> int:
        """Tasks that beat sends periodically."""
        return sum(self.by_name[kind.name] for kind in BEAT)

    @property
    def caused(self) -> int:
        """Tasks that the input caused."""
        return self.by_name.total() - self.beats


@contextmanager
def counted_tasks() -> Iterator[TaskCount]:
    """Receive events while the block runs."""
    from workers.runtime.app import app  # noqa: PLC0415  # its settings read the broker's URL, which is known only now

    count = TaskCount()
    app.control.enable_events()
    with app.connection_for_read() as connection:
        receiver = app.events.Receiver(connection, handlers={"task-received": count.received})
        listening = threading.Thread(target=receiver.capture, kwargs={"wakeup": False})
        listening.start()
        try:
            yield count
        finally:
            receiver.should_stop = True
            listening.join()
