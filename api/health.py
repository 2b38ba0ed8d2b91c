"""Whether the process lives, and whether the system gets on with its work. These two routes need no token."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel
from redis import Redis
from redis.exceptions import RedisError

from api.openapi import problems
from api.problems import Rejection
from api.resources import On
from memory.health import Finding, findings
from store.errors import Unavailable
from store.migrate import missing
from workers.resources import Resources

router = APIRouter(prefix="/health", tags=["Health"])

PATIENCE_SECONDS = 2.0


class Health(BaseModel):
    """All is well."""

    status: Literal["ok"] = "ok"


def redis_of(request: Request) -> Redis:
    """The connection to Redis that the application opened when it started."""
    redis: Redis = request.app.state.redis
    return redis


@router.get("/live")
async def live() -> Health:
    """Say that the process answers.

    It takes no thread, so it does even while every thread waits for the database.
    """
    return Health()


@router.get("/ready", responses=problems(503))
def ready(on: On, redis: Annotated[Redis, Depends(redis_of)]) -> Health:
    """Say whether work gets done.

    That is: the database is there and migrated, Redis is there, due work is taken in time, and beat ticks. Otherwise
    the answer is a 503 that says what is wrong, with everything that was looked at under `checks`.
    """
    found = [*_database(on), _redis(redis)]
    if not all(finding.good for finding in found):
        checks = [{"name": finding.name, "good": finding.good, "found": finding.words} for finding in found]
        wrong = "; ".join(f"{finding.name}: {finding.words}" for finding in found if not finding.good)
        raise Rejection(HTTPStatus.SERVICE_UNAVAILABLE, "not-ready", wrong, {"checks": checks})
    return Health()


def _database(on: Resources) -> Iterator[Finding]:
    """Look at the database, and if it can be read at what it says of the work."""
    try:
        with on.store.transaction(patience=PATIENCE_SECONDS) as tx:
            lacking = missing(tx)
        if lacking:
            yield Finding("database", good=False, words=f"it lacks {', '.join(lacking)}: run `patrol migrate`")
            return
        progress = findings(on.store, on.settings)
    except Unavailable as fault:
        yield Finding("database", good=False, words=str(fault))
        return
    yield Finding("database", good=True, words="there, and up to date")
    yield from progress


def _redis(redis: Redis) -> Finding:
    try:
        redis.ping()
    except RedisError as fault:
        return Finding("redis", good=False, words=f"out of reach ({type(fault).__name__})")
    return Finding("redis", good=True, words="there")
