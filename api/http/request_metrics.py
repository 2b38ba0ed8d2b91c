"""Request durations by method, route and status, summed over all processes that serve one port."""

import os

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

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
        together = CollectorRegistry(auto_describe=False)
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]  # published without types
        return generate_latest(together)
