"""Counts tasks by listening to the events that Celery's workers send of themselves."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class TaskCount:
    """How many tasks of each name workers have received, redelivered and needless ones too."""

    def __init__(self) -> None:
        self.by_name: Counter[str] = Counter()

    def received(self, event: dict[str, Any]) -> None:
        """A worker has received a task."""
        self.by_name[event["name"]] += 1

    @property
    def beats(self) -> int:
        """Those that beat sends at its times, whatever comes in."""
        return sum(count for name, count in self.by_name.items() if name.startswith("upkeep."))

    @property
    def caused(self) -> int:
        """Those that what came in has caused."""
        return self.by_name.total() - self.beats


@contextmanager
def counted_tasks() -> Iterator[TaskCount]:
    """Listen while the block runs."""
    from workers.app import app  # noqa: PLC0415  # its settings name the broker, which runs only now

    count = TaskCount()
    with app.connection_for_read() as connection:
        receiver = app.events.Receiver(connection, handlers={"task-received": count.received})
        listening = threading.Thread(target=receiver.capture, kwargs={"wakeup": False})
        listening.start()
        try:
            yield count
        finally:
            receiver.should_stop = True
            listening.join()
