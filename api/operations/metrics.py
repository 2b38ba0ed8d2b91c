"""`/metrics` for Prometheus: numbers from the ledger and the streams, and this server's request durations.

The ledger's numbers are read at each scrape and are the same from every process; most are gauges over a window, because
finished work is deleted after a while. Request durations are summed over all processes behind the port, and start at
zero when the server starts.
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, get_args

from fastapi import Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis import Redis
from redis.exceptions import RedisError

from api.http.access.auth import OperatorResources
from api.http.endpoints import Router
from api.operations.health import redis_of
from api.streams import heartbeats, reader
from memory.upkeep.figures import figures
from schemas.llm.calls import BudgetName, BudgetToday
from workers.runtime.resources import Resources
from workers.streams import rejected

if TYPE_CHECKING:
    from api.http.request_metrics import RequestMetrics

router = Router(tags=["Health"])


class _LedgerCollector(Collector):
    """Reads the numbers of the ledger and the streams at each scrape."""

    def __init__(self, on: Resources, redis: Redis) -> None:
        self._on = on
        self._redis = redis

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        ledger = figures(self._on.store, self._on.settings)
        rows = ledger.rows
        yield from _work(rows["open_work"], rows["finished_work"])
        yield from _models(rows["model_calls"], rows["settled_calls"])
        yield _gauge(
            "patrol_dropped_items",
            "Items of models' answers that were dropped in the last day, by the rule that they broke.",
            ["purpose", "reason"],
            rows["dropped_items"],
            "items",
        )
        yield _gauge(
            "patrol_messages_unjudged",
            "User messages that no judge has read yet; `waits_for_key`: no key can pay for judging them.",
            ["waits_for_key"],
            rows["unjudged_messages"],
            "messages",
        )
        yield _gauge(
            "patrol_budgets_reached",
            "Budgets of the day that are reached: of the platform, of users, of their chat completions, of Beings.",
            ["budget", "lacking"],
            rows["budgets_reached"],
            "owners",
        )
        yield from _budgets(ledger.budgets)
        unknown = [found.model_dump() for found in ledger.unknown_work]
        yield _gauge(
            "patrol_work_unknown", "Due units of kinds that this version does not know.", ["kind"], unknown, "units"
        )
        yield _counter("patrol_rows_written", "Rows taken in or made.", ["table"], rows["rows_written"], "written")
        yield _gauge(
            "patrol_pulse_age_seconds", "Since the recurring activity ran last.", ["name"], rows["heartbeats"], "age"
        )
        try:
            yield from _streams(self._redis)
        except RedisError:
            yield GaugeMetricFamily("patrol_redis_up", "Whether Redis answers.", 0)
        else:
            yield GaugeMetricFamily("patrol_redis_up", "Whether Redis answers.", 1)


@router.get("/metrics", response_class=Response, status_code=HTTPStatus.OK)
def show_metrics(request: Request, on: OperatorResources, redis: Annotated[Redis, Depends(redis_of)]) -> Response:
    """Show the system's metrics in Prometheus's text format.

    An operator's token. `patrol operator add` creates one.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_LedgerCollector(on, redis))
    request_metrics: RequestMetrics = request.app.state.request_metrics
    return Response(generate_latest(registry) + request_metrics.as_text(), media_type=CONTENT_TYPE_LATEST)


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


def _models(calls: list[dict[str, Any]], settled: list[dict[str, Any]]) -> Iterator[Metric]:
    labels = ["purpose", "model", "outcome"]
    by = [*labels, "paid_with"]
    yield _counter("patrol_model_calls_settled", "Model calls that have ended, failed ones too.", by, settled, "calls")
    yield _counter("patrol_model_cost_settled", "Their cost, in the currency of the prices.", by, settled, "cost")
    yield _gauge("patrol_model_calls", "Calls of models in the last day.", labels, calls, "calls")
    yield _gauge("patrol_model_cost", "What they cost, in the currency of the prices.", labels, calls, "cost")
    tokens = GaugeMetricFamily("patrol_model_tokens", "Their tokens.", labels=[*labels, "sort"])
    for row in calls:
        for sort in ("input", "output", "cache_read", "cache_write"):
            tokens.add_metric([*(row[label] for label in labels), sort], row[sort])
    yield tokens


def _budgets(today: list[BudgetToday]) -> Iterator[Metric]:
    """Yield the spent part of the day's budgets; of single users and Beings only the greatest share."""
    near = GaugeMetricFamily("patrol_budgets_near", "Budgets of the day of which 80 % is spent.", labels=["budget"])
    used = GaugeMetricFamily(
        "patrol_budget_used_ratio", "The share that is spent of the day's budget that is closest.", labels=["budget"]
    )
    spent = GaugeMetricFamily(
        "patrol_budget_spent", "What a day's calls under a budget have used.", labels=["budget", "unit"]
    )
    for name in get_args(BudgetName):
        found = [each for each in today if each.budget == name]
        near.add_metric([name], sum(each.state == "near" for each in found))
        used.add_metric([name], max((each.used for each in found), default=0))
        spent.add_metric([name, "dollars"], float(sum(each.spent_cost or 0 for each in found)))
        spent.add_metric([name, "tokens"], sum(each.spent_tokens or 0 for each in found))
    limit = GaugeMetricFamily("patrol_budget_limit", "The limit of the platform's budget.", labels=["unit"])
    for each in today:
        if each.budget == "platform":
            if each.limit_cost is not None:
                limit.add_metric(["dollars"], float(each.limit_cost))
            if each.limit_tokens is not None:
                limit.add_metric(["tokens"], each.limit_tokens)
    yield from (near, used, spent, limit)


def _streams(redis: Redis) -> Iterator[Metric]:
    found = [state.__dict__ for state in reader.states(redis)]
    yield _gauge("patrol_stream_entries", "Entries that a stream holds.", ["stream"], found, "entries")
    yield _gauge("patrol_stream_pending", "Of these, read and not acknowledged.", ["stream"], found, "pending")
    yield GaugeMetricFamily("patrol_stream_readers", "Readers that look.", len(heartbeats.readers(redis)))
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
