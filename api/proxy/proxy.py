"""The proxy's parts in one process: upstream connections, threads, the gateway, and limits of requests."""

from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from api.http.load.fair_use import UserLoads
from api.http.problems import too_many
from api.http.request_metrics import RequestMetrics
from api.proxy.counted_bodies import Bodies
from api.proxy.gateway import Gateway
from api.proxy.memory_work import record
from api.proxy.proxy_threads import MemoryThreads
from memory.proxy.admission import Admission
from providers.chat.upstream import UpstreamClient
from providers.completion import Usage
from schemas.llm.calls import Outcome
from workers.runtime.resources import Resources

RETRY_SECONDS = 1.0
# The most calls whose cost waits for the database to answer again.
UNRECORDED = 10_000


class Proxy:
    """The objects that the proxy's routes share. It is used from the event loop only.

    Args:
        on: The process's resources.
        users: Each user's running requests and database time, over all routes.
        metrics: Counts recalled and stored turns.
    """

    def __init__(self, on: Resources, users: UserLoads, metrics: RequestMetrics) -> None:
        self.on = on
        self.metrics = metrics
        self.threads = MemoryThreads()
        self.client = UpstreamClient(on.settings)
        self.gateway = Gateway(on, self.threads)
        self.bodies = Bodies(on.settings)
        self._users = users
        self._open: Counter[UUID] = Counter()
        self._unrecorded: deque[tuple[Admission, Outcome, Usage | None]] = deque(maxlen=UNRECORDED)

    async def close(self) -> None:
        """Close the upstream connections; running threads end by themselves."""
        self.gateway.close()
        await self.client.close()
        self.threads.close()

    @contextmanager
    def open_request(self, user_id: UUID) -> Iterator[None]:
        """Count a request from its token to the end of its answer.

        Raises:
            Rejection: The user has too many open ones.
        """
        most = self.on.settings.proxy_requests
        if self._open[user_id] >= most:
            raise too_many(f"You have {most} open chat completions, the limit: send fewer at a time.", RETRY_SECONDS)
        self._open[user_id] += 1
        try:
            yield
        finally:
            self._open[user_id] -= 1
            if not self._open[user_id]:
                del self._open[user_id]

    def check_time(self, user_id: UUID) -> None:
        """Let a user's request go on to the database, where it waits for the user's share of threads and connections.

        Raises:
            Rejection: The user has used too much database time.
        """
        if excess := self._users.time_excess(user_id):
            raise too_many(excess.reason, excess.retry_after)

    def charge(self, user_id: UUID, seconds: float) -> None:
        """Add database time to a user's."""
        self._users.charge(user_id, seconds)

    def record_later(self, admitted: Admission, outcome: Outcome, usage: Usage | None) -> None:
        """Keep the cost of a call until the database answers again."""
        self._unrecorded.append((admitted, outcome, usage))

    def record_kept(self) -> None:
        """Record the costs that were kept: the database answers."""
        while self._unrecorded:
            admitted, outcome, usage = self._unrecorded.popleft()
            user_id = admitted.being.user_id
            self.threads.start(user_id, record, self.on, admitted, outcome, usage, self.record_later)
