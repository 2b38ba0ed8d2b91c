"""Long polls: an operation is repeated each second until its answer holds the change that the caller waits for.

A request that waits holds no thread and no connection of the database in between. Its places are bounded, for each
process and each user: a request that finds none is answered at once, and the client polls again.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from api.http.connections import STATE

PLACES = 200
PAUSE_SECONDS = 1.0


class Waiting:
    """The requests of one process that wait.

    Args:
        of_one_user: The most of one user.
    """

    def __init__(self, of_one_user: int) -> None:
        self._of_one_user = of_one_user
        self._waiting = Counter[UUID]()

    async def answer(
        self,
        request: Request,
        call: Callable[[], Any],
        is_enough: Callable[[Any], bool],
        *,
        user_id: UUID,
        seconds: int,
    ) -> Any:
        """Return the answer of a call, made again until it is enough, the time is over or the client has gone.

        Args:
            call: Makes the answer, in a thread.
            is_enough: Whether an answer is worth returning.
            user_id: The user of the request.
            seconds: How long to wait.
        """
        answer = await run_in_threadpool(call)
        if is_enough(answer) or self._waiting.total() >= PLACES or self._waiting[user_id] >= self._of_one_user:
            return answer
        self._waiting[user_id] += 1
        try:
            until = asyncio.get_running_loop().time() + seconds
            while (left := until - asyncio.get_running_loop().time()) > 0 and not await _is_over(request):
                await asyncio.sleep(min(PAUSE_SECONDS, left))
                answer = await run_in_threadpool(call)
                if is_enough(answer):
                    break
        finally:
            self._waiting[user_id] -= 1
            # Drops the users of whom none waits.
            self._waiting += Counter()
        return answer


async def _is_over(request: Request) -> bool:
    """Whether the client has gone, or the server stops."""
    connections = request.scope.get("state", {}).get(STATE)
    return (connections is not None and connections.is_stopping) or await request.is_disconnected()
