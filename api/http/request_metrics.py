"""Request durations by method, route and status, summed over all processes that serve one port."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

# Names the directory in which the processes of one server share their counts; without it, each counts alone.
COUNTS = "PROMETHEUS_MULTIPROC_DIR"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class RequestMetrics:
    """Counts requests and their durations, by route."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._seconds = Histogram(
            "patrol_http_seconds",
            "Time to answer a request; ingestion and recall are routes of it.",
            ["method", "route", "status"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        self._open = Gauge(
            "patrol_http_open_requests",
            "Requests that are being received or answered, the scrape's own included.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self._tools = Counter(
            "patrol_mcp_calls",
            "Calls of MCP tools over HTTP; outcome: `done`, `refused`, or `failed` by a fault of the server.",
            ["tool", "outcome"],
            registry=self._registry,
        )
        self._proxied = Counter(
            "patrol_proxy_requests",
            "Chat completions passed on, by whether memories were included, and whether the turn was stored.",
            ["upstream", "recall", "stored"],
            registry=self._registry,
        )
        self._lost = Counter(
            "patrol_proxy_turns_not_stored",
            "Turns that were not stored; header: what the answer's header said of it, `no` or `pending`.",
            ["upstream", "header"],
            registry=self._registry,
        )
        self._preparation = Histogram(
            "patrol_proxy_preparation_seconds",
            "Time from a chat completion's body to the request to its upstream.",
            buckets=BUCKETS,
            registry=self._registry,
        )

    @contextmanager
    def open_request(self) -> Iterator[None]:
        """Count a request as open while the block runs."""
        self._open.inc()
        try:
            yield
        finally:
            self._open.dec()

    def count_proxied(self, upstream: str, recall: str, stored: str) -> None:
        """Count a chat completion that the proxy passes on."""
        self._proxied.labels(upstream, recall, stored).inc()

    def count_turn_not_stored(self, upstream: str, header: str) -> None:
        """Count a turn that was not stored."""
        self._lost.labels(upstream, header).inc()

    def observe_preparation(self, seconds: float) -> None:
        """Observe how long the proxy kept a chat completion from its upstream."""
        self._preparation.observe(seconds)

    def count_tool(self, tool: str, outcome: str) -> None:
        """Count a call of an MCP tool."""
        self._tools.labels(tool, outcome).inc()

    def add(self, method: str, route: str | None, status: int, seconds: float) -> None:
        """Count an answered request. Requests that match no route share one series."""
        self._seconds.labels(method if route else "", route or "none", str(status)).observe(seconds)

    def as_text(self) -> bytes:
        """Return the metrics of all processes that share the directory, in Prometheus's text format."""
        if COUNTS not in os.environ:
            return generate_latest(self._registry)
        _remove_ended_processes(Path(os.environ[COUNTS]))
        together = CollectorRegistry(auto_describe=False)
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]  # published without types
        return generate_latest(together)


def _remove_ended_processes(directory: Path) -> None:
    """Count nothing as open in processes that have ended, and which a server replaces."""
    for pid in {int(file.stem.rpartition("_")[2]) for file in directory.glob("gauge_live*_*.db")}:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            mark_process_dead(pid, str(directory))  # type: ignore[no-untyped-call]  # published without types
