"""Routes of liveness, of the process's readiness, and of the system's progress. They need no token.

Monitors that want nothing but the status ask with HEAD.
"""

from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import Depends, Request
from pydantic import BaseModel, Field
from redis import Redis
from redis.exceptions import RedisError

from api.http.endpoints import Router
from api.http.openapi import problems
from api.http.problems import Rejection
from api.http.resources import On
from memory.upkeep.health import Finding, away_providers, findings, missing_migrations
from schemas.errors import Unavailable
from schemas.ledger.acting import crossing
from schemas.llm.calls import AwayProvider
from workers.runtime.resources import Resources

router = Router(prefix="/health", tags=["Health"])

PATIENCE_SECONDS = 2.0


class Health(BaseModel):
    """The answer when no check failed."""

    status: Literal["ok"] = "ok"


class Progress(Health):
    """The answer when work gets done."""

    away: list[AwayProvider] = Field(
        description="Providers of language models that do not answer. What needs them waits, and is done when they are"
        " back."
    )


def redis_of(request: Request) -> Redis:
    """Return the Redis client that the application opened at its start."""
    redis: Redis = request.app.state.redis
    return redis


@router.head("/live", include_in_schema=False)
@router.get("/live")
async def live() -> Health:
    """Check that the process answers.

    It needs no thread, so it succeeds even while all threads wait for the database.
    """
    return Health()


@router.head("/ready", include_in_schema=False)
@router.get("/ready", responses=problems(503))
def ready(on: On) -> Health:
    """Check that this process can answer requests, for a load balancer.

    It can if the database answers and is migrated; input is accepted without Redis and without workers. Otherwise the
    answer is a 503 with the reason.
    """
    _check([_database(on)])
    return Health()


@router.head("/work", include_in_schema=False)
@router.get("/work", responses=problems(503))
def working(on: On, redis: Annotated[Redis, Depends(redis_of)]) -> Progress:
    """Check that the system's work gets done, for monitoring.

    The database and Redis answer, the due work of each queue is taken in time, work in progress ends, and beat runs.
    Otherwise the answer is a 503 that names the faults, queues by name, with all that was checked under `checks`.
    Dead work and a language model that is away are no faults: `away` reports the latter.
    """
    found = [_database(on)]
    if found[0].good:
        found += _progress(on)
    _check([*found, _redis(redis)])
    with crossing("health"):
        return Progress(away=away_providers(on.store))


def _check(found: list[Finding]) -> None:
    if faults := [finding for finding in found if finding.stops and not finding.good]:
        checks = [{"name": finding.name, "good": finding.good, "found": finding.words} for finding in found]
        wrong = "; ".join(f"{finding.name}: {finding.words}" for finding in faults)
        raise Rejection(HTTPStatus.SERVICE_UNAVAILABLE, "not-ready", wrong, {"checks": checks})


def _database(on: Resources) -> Finding:
    try:
        lacking = missing_migrations(on.store, patience=PATIENCE_SECONDS)
    except Unavailable as fault:
        return Finding("database", good=False, words=str(fault))
    if lacking:
        return Finding("database", good=False, words=f"it lacks {', '.join(lacking)}: run `patrol migrate`")
    return Finding("database", good=True, words="reachable and migrated")


def _progress(on: Resources) -> list[Finding]:
    try:
        with crossing("health"):
            return findings(on.store, on.settings)
    except Unavailable as fault:
        return [Finding("database", good=False, words=str(fault))]


def _redis(redis: Redis) -> Finding:
    try:
        redis.ping()
    except RedisError as fault:
        return Finding("redis", good=False, words=f"unreachable ({type(fault).__name__})")
    return Finding("redis", good=True, words="reachable")
