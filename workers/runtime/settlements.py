"""Settles answered embedding requests together, so that who asked for the vectors does not wait for the accounts."""

from collections.abc import Sequence
from functools import partial
from threading import Lock, Timer

import structlog

from schemas.errors import Unavailable
from schemas.ledger.acting import crossing
from store.database import Store
from store.llm import calls
from store.llm.calls import AnsweredEmbedding

log = structlog.get_logger()

# Until then a call counts at its reserved cost, the highest that it can have, as it does where the process is killed.
SECONDS = 1.0


class Settlements:
    """The answered requests of one process that are not settled yet; thread-safe.

    Args:
        store: The ledger.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[AnsweredEmbedding] = []
        self._closed = False
        self._lock = Lock()

    def add(self, answered: Sequence[AnsweredEmbedding]) -> None:
        """Settle these, with all that are added meanwhile, within a second."""
        with self._lock:
            begin = not self._waiting and not self._closed
            self._waiting += answered
        if begin:
            timer = Timer(SECONDS, self._settle)
            timer.daemon = True
            timer.start()

    def close(self) -> None:
        """Settle all now. If the database is out of reach, they stay at their reserved costs."""
        with self._lock:
            self._closed = True
        self._settle()

    def _settle(self) -> None:
        with self._lock:
            answered, self._waiting = self._waiting, []
        if not answered:
            return
        try:
            with crossing("settlement"):
                self._store.statement(partial(calls.settle_embeddings, answered=answered))
        except Unavailable as fault:
            log.warning("embeddings.unsettled", calls=len(answered), error=type(fault).__name__)
            self.add(answered)
