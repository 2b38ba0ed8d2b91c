"""Requests of the `ingest.*` tasks, whose arguments carry content: events, logs and Flower show a summary of them."""

from typing import Any
from uuid import UUID

from celery.exceptions import InvalidTaskError
from celery.worker.request import Request


class MaskedRequest(Request):  # type: ignore[misc]  # Celery is published without types
    """A request whose `argsrepr` is the Being and the number of items; its producer's own `argsrepr` is ignored."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if not isinstance(self.args, list | tuple) or not isinstance(self.kwargs, dict):
            # Celery would call the task with them, and the message would be gone.
            raise InvalidTaskError
        summary = _summary(self._args, self._kwargs)
        self._argsrepr, self._kwargsrepr = summary, "{}"
        self._request_dict |= {"argsrepr": summary, "kwargsrepr": "{}"}

    def info(self, safe: bool = True) -> dict[str, Any]:  # noqa: ARG002  # the unmasked form is never returned
        """Return the masked form for Celery's remote control, for any value of `safe`."""
        found: dict[str, Any] = super().info(safe=True)
        return found


def _summary(args: Any, kwargs: Any) -> str:
    given: list[Any] = [*args, *kwargs.values()]
    try:
        being, items = given
        return f"({UUID(str(being))}, {len(items)} items)"
    except (ValueError, TypeError, AttributeError):
        return "(not a Being and a list of items)"
