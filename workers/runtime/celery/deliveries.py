"""Kombu's transport for Redis, which keeps a message there until it is acknowledged only if it is the only copy.

Kombu writes every message that a worker takes to two keys of Redis, deletes it there when it is acknowledged, and
delivers again what is still there after the visibility timeout of an hour. For the ledger's work and for beat's ticks
these are two requests a task without use: whatever becomes of a worker, the sweep sends the messages of its work again
within seconds, and beat its next tick. All others, such as those of `ingest.notes`, are recorded as Kombu does it.
"""

from typing import Any

from kombu.transport import redis, virtual

from schemas.ledger.kinds import BEAT, WORK

# Their messages carry ids of rows, or nothing.
SENT_AGAIN = WORK.keys() | {kind.name for kind in BEAT}


class Deliveries(redis.QoS):  # type: ignore[misc]  # Kombu is published without types
    """The messages of one channel that are not acknowledged yet.

    A message that is not in Redis counts towards the prefetch limit all the same, and returns to its queue from this
    process's memory when it is rejected, or when the channel closes.
    """

    def append(self, message: Any, delivery_tag: str) -> None:
        """Remember a message that was taken from its queue."""
        if _is_sent_again(message):
            virtual.QoS.append(self, message, delivery_tag)
        else:
            super().append(message, delivery_tag)

    def ack(self, delivery_tag: str) -> None:
        """Forget a message."""
        if _is_sent_again(self._delivered.get(delivery_tag)):
            virtual.QoS.ack(self, delivery_tag)
        else:
            super().ack(delivery_tag)

    def restore_by_tag(self, tag: str, client: Any = None, leftmost: bool = False) -> None:  # Kombu's signature
        """Return a message to its queue."""
        message = self._delivered.get(tag)
        if not _is_sent_again(message):
            super().restore_by_tag(tag, client, leftmost)
            return
        to = message.delivery_info
        with self.channel.conn_or_acquire(client) as connected:
            self.channel._do_restore_message(message._raw, to["exchange"], to["routing_key"], connected, leftmost)  # noqa: SLF001  # as the base class does


class Channel(redis.Channel):  # type: ignore[misc]  # as above
    """A channel with these deliveries."""

    QoS = Deliveries


class Transport(redis.Transport):  # type: ignore[misc]  # as above
    """Redis as a broker, with these deliveries."""

    Channel = Channel


class SentinelChannel(redis.SentinelChannel):  # type: ignore[misc]  # as above
    """A channel to the master that Redis Sentinel names, with these deliveries."""

    QoS = Deliveries


class SentinelTransport(redis.SentinelTransport):  # type: ignore[misc]  # as above
    """Redis behind Sentinel as a broker, with these deliveries."""

    Channel = SentinelChannel


def _is_sent_again(message: Any) -> bool:
    return message is not None and message.headers.get("task") in SENT_AGAIN
