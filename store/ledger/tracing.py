"""Traces: the door's span, the ledger's row, and the transaction that finishes the work belong to one trace.

A row of the ledger carries the `traceparent` (W3C Trace Context) of the span in which it was requested, and the work's
span continues it. A process that keeps no traces has `Tracing` itself, which does nothing; `workers/runtime/traces.py`
has the one that exports spans.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

Attributes = Mapping[str, str | int]


class Tracing:
    """Keeps no traces."""

    def present(self) -> str:
        """The `traceparent` of the present span, which consists of hexadecimal digits and hyphens; empty if none."""
        return ""

    @contextmanager
    def span(self, name: str, attributes: Attributes, *, parent: str | None = None) -> Iterator["Span"]:  # noqa: ARG002
        """Run the block within a span.

        Args:
            name: Its name, of which there are few.
            attributes: Ids, counts and names of ours that describe it, and no word of a user's.
            parent: The `traceparent` that it continues; None: the present span.
        """
        yield Span()


class Span:
    """A span that is not kept."""

    def rename(self, name: str, attributes: Attributes) -> None:
        """Give it a name, and further attributes, that are known by now."""

    def fail(self, kind: str) -> None:
        """Mark it as failed, by the kind of fault alone."""


UNTRACED = Tracing()
