"""Celery's consumer, which keeps messages that no task can take: Celery's own discards them, or ends the worker."""

from collections.abc import Callable
from typing import Any

import structlog
from celery.worker.consumer import Consumer as CeleryConsumer
from kombu.exceptions import ContentDisallowed
from redis.exceptions import RedisError

from schemas.ledger.kinds import INGEST_NOTES, KINDS
from schemas.settings import Settings
from workers.runtime.addresses import addresses
from workers.runtime.redis_client import open_redis
from workers.streams import rejected
from workers.streams.rejected import Rejected

log = structlog.get_logger()

NO_FORM = "the message is no call of a Celery task: a name, an id, a list of arguments and an object of named ones"
NO_JSON = "the message is not JSON, which is all that this door reads: send it with `task_serializer` json"
NO_TASK = "there is no task of that name: send `ingest.notes` or `ingest.messages`"
# Of messages that are marked so, no word may be kept.
_OFF_THE_RECORD = b"off_the_record"
# A version that runs beside this one may send tasks of these that this one does not know; they carry row ids alone.
_OWN = {name.partition(".")[0] for name in KINDS} - {INGEST_NOTES.name.partition(".")[0]}


class Consumer(CeleryConsumer):  # type: ignore[misc]  # Celery is published without types
    """Adds a producer's unreadable messages to `patrol:rejected`, with the reason."""

    def create_task_handler(self, *args: Any, **options: Any) -> Callable[[Any], None]:
        """Return the function that is called with each message."""
        handle = super().create_task_handler(*args, **options)

        def received(message: Any) -> None:
            try:
                handle(message)
            except (AttributeError, LookupError, TypeError, ValueError) as fault:
                # Celery takes a message to be whole. A missing part ends the worker, or begins an endless loop of
                # connections, as Kombu calls a KeyError a fault of the connection.
                self.on_invalid_task(None, message, fault)

        return received

    def on_unknown_message(self, body: Any, message: Any) -> None:  # noqa: ARG002  # Celery's signature
        """Keep a message that names no task."""
        _refuse(message, NO_FORM)

    def on_unknown_task(self, body: Any, message: Any, exc: Exception) -> None:  # noqa: ARG002  # likewise
        """Keep a message for a task that does not exist."""
        _refuse(message, NO_TASK)

    def on_invalid_task(self, body: Any, message: Any, exc: Exception) -> None:  # noqa: ARG002  # likewise
        """Keep a message whose parts are not those of a task, or in another format."""
        _refuse(message, NO_JSON if isinstance(exc, ContentDisallowed) else NO_FORM)

    def on_decode_error(self, message: Any, exc: Exception) -> None:  # noqa: ARG002  # likewise
        """Keep a message that can't be decoded."""
        _refuse(message, NO_JSON)


def _refuse(message: Any, reason: str) -> None:
    """Take a message off its queue, and keep it; while Redis is out of reach, it returns to the queue."""
    headers = message.headers if isinstance(message.headers, dict) else {}
    name = f"{headers.get('task')}"
    if name.partition(".")[0] not in _OWN:
        body = message.body if isinstance(message.body, bytes) else f"{message.body}".encode(errors="replace")
        # It may be in an encoding of wider characters.
        kept = b"" if _OFF_THE_RECORD in body.replace(b"\0", b"") else body
        refused = Rejected(
            _door(name.encode() + body), f"celery/{message.delivery_tag}/call", reason, kept, length=len(body)
        )
        try:
            with open_redis(addresses(Settings()).redis_url) as redis:
                rejected.keep(redis, [refused])
        except RedisError:
            message.requeue()
            return
    log.warning("ingest.unreadable", reason=reason)
    message.reject()


def _door(named: bytes) -> str:
    """The stream through which a message would be replayed, by the task that its header or its body names."""
    return rejected.DOORS["messages" if b"ingest.message" in named else "notes"]
