"""`/metrics` for Prometheus: what the ledger and the streams say when asked, and what this process has answered.

The ledger's numbers are the system's, the same whichever process is asked, and none is lost when one ends. They are
gauges over a window, because the ledger forgets what is done. Times of answers are this process's own.
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis import Redis
from redis.exceptions import RedisError

from api import streams
from api.auth import Operating
from api.health import redis_of
from store import metrics
from store.database import Store
from workers import rejected

router = APIRouter(tags=["Health"])

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Answers:
    """How many requests this process answered, and how fast, by route."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._seconds = Histogram(
            "patrol_http_seconds",
            "Time to answer a request; ingestion and recall are routes of it.",
            ["method", "route", "status"],
            buckets=BUCKETS,
            registry=self.registry,
        )

    def add(self, method: str, route: str | None, status: int, seconds: float) -> None:
        """Count an answer. What nobody asked for has no route, and counts together."""
        self._seconds.labels(method if route else "", route or "none", str(status)).observe(seconds)


class _Now(Collector):
    """What the ledger and the streams say at this moment."""

    def __init__(self, store: Store, redis: Redis) -> None:
        self._store = store
        self._redis = redis

    def collect(self) -> Iterator[Metric]:
        """Ask."""
        with self._store.transaction() as tx:
            yield from _work(metrics.open_work(tx), metrics.finished_work(tx))
            yield from _models(metrics.model_calls(tx))
            written = metrics.rows_written(tx)
            pulses = metrics.pulses(tx)
        yield _counter("patrol_rows_written", "Rows taken in or made.", ["table"], written, "written")
        yield _gauge("patrol_pulse_age_seconds", "Since the system's pulse was felt.", ["name"], pulses, "age")
        try:
            yield from _streams(self._redis)
        except RedisError:
            yield GaugeMetricFamily("patrol_redis_up", "Whether Redis answers.", 0)
        else:
            yield GaugeMetricFamily("patrol_redis_up", "Whether Redis answers.", 1)


@router.get("/metrics", response_class=Response, status_code=HTTPStatus.OK)
def show_metrics(request: Request, on: Operating, redis: Annotated[Redis, Depends(redis_of)]) -> Response:
    """Show the system in numbers, in Prometheus's text format.

    It needs an operator's token, which `patrol operator add` makes.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Now(on.store, redis))
    answers: Answers = request.app.state.answers
    return Response(generate_latest(registry) + generate_latest(answers.registry), media_type=CONTENT_TYPE_LATEST)


def _work(unfinished: list[dict[str, Any]], finished: list[dict[str, Any]]) -> Iterator[Metric]:
    yield _gauge("patrol_work", "Units of work that are not done.", ["queue", "state"], unfinished, "units")
    due = [row for row in unfinished if row["state"] != "dead"]
    yield _gauge(
        "patrol_work_oldest_due_seconds", "How long work has been due, at most.", ["queue", "state"], due, "oldest"
    )
    yield _gauge("patrol_work_finished", "Units done in the last 15 minutes.", ["kind"], finished, "units")
    took = GaugeMetricFamily(
        "patrol_work_seconds",
        "From claim to finish, of what was done in the last 15 minutes.",
        labels=["kind", "quantile"],
    )
    for row in finished:
        took.add_metric([row["kind"], "0.5"], row["half"])
        took.add_metric([row["kind"], "0.95"], row["most"])
    yield took


def _models(calls: list[dict[str, Any]]) -> Iterator[Metric]:
    labels = ["purpose", "model", "outcome"]
    yield _gauge("patrol_model_calls", "Calls of models in the last day.", labels, calls, "calls")
    yield _gauge("patrol_model_cost", "What they cost, in the currency of the prices.", labels, calls, "cost")
    tokens = GaugeMetricFamily("patrol_model_tokens", "Their tokens.", labels=[*labels, "sort"])
    for row in calls:
        for sort in ("input", "output", "cache_read", "cache_write"):
            tokens.add_metric([*(row[label] for label in labels), sort], row[sort])
    yield tokens


def _streams(redis: Redis) -> Iterator[Metric]:
    found = [state.__dict__ for state in streams.states(redis)]
    yield _gauge("patrol_stream_entries", "Entries that a stream holds.", ["stream"], found, "entries")
    yield _gauge("patrol_stream_pending", "Of these, read and not acknowledged.", ["stream"], found, "pending")
    yield GaugeMetricFamily("patrol_stream_readers", "Readers that look.", len(streams.readers(redis)))
    yield GaugeMetricFamily("patrol_rejected", "What no door could take.", redis.xlen(rejected.STREAM))


def _gauge(name: str, text: str, labels: list[str], rows: list[dict[str, Any]], number: str) -> Metric:
    family = GaugeMetricFamily(name, text, labels=labels)
    for row in rows:
        family.add_metric([row[label] for label in labels], row[number])
    return family


def _counter(name: str, text: str, labels: list[str], rows: list[dict[str, Any]], number: str) -> Metric:
    family = CounterMetricFamily(name, text, labels=labels)
    for row in rows:
        family.add_metric([row[label] for label in labels], row[number])
    return family
