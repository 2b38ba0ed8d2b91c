"""The breaker of one provider and key: opened by a request that fails, closed by a probe that does not."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID

from providers.errors import BadAnswer, InputRefused, Misconfigured, Transient
from schemas.llm.calls import Provider
from store.database import Store
from store.llm import breakers
from store.transaction import Transaction


class Breaker:
    """Whether a provider may be asked with one key, by all processes that share the ledger.

    Args:
        key_id: The user's key; None: the platform's.
        timeout: The timeout of a request, in seconds.
    """

    def __init__(self, store: Store, provider: Provider, key_id: UUID | None, timeout: float) -> None:
        self._store = store
        self._provider = provider
        self._key_id = key_id
        self.found_away = False
        """Whether a request of this object failed or was held back, even if another was answered since."""
        self._lasting = timedelta(seconds=timeout) + breakers.FIRST_WAIT

    def admit(self, tx: Transaction) -> bool:
        """Let a request through, unless the breaker is open; commit `tx` at once, before the request.

        Returns:
            Whether the request is the probe.

        Raises:
            Transient: The breaker is open, and its probe is not due, or another's.
        """
        if not breakers.is_known(tx, self._provider, self._key_id):
            return False
        if breakers.take_probe(tx, self._provider, self._key_id, self._lasting):
            return True
        if away := breakers.away(tx, self._provider, self._key_id):
            self.found_away = True
            raise Transient(away.sentence(), retry_after=away.waits.total_seconds())
        # Closed meanwhile.
        return False

    @contextmanager
    def watching(self, *, probes: bool) -> Iterator[None]:
        """Learn from how a request ends that was admitted; `probes`: it is the probe."""
        try:
            yield
        except (Transient, Misconfigured) as fault:
            self.trip(fault, probed=probes)
            raise
        except (BadAnswer, InputRefused, GeneratorExit):
            # The provider answers; also where the caller has left before the end of it.
            if probes:
                self.close()
            raise
        if probes:
            self.close()

    def trip(self, fault: Transient | Misconfigured, *, probed: bool = False) -> None:
        """Open the breaker, for as long as the provider asks for if it does."""
        self.found_away = True
        wait = fault.retry_after if isinstance(fault, Transient) else None
        self._store.run(
            breakers.trip,
            self._provider,
            self._key_id,
            str(fault),
            wait=None if wait is None else timedelta(seconds=wait),
            probed=probed,
        )

    def close(self) -> None:
        """Close the breaker: the provider answers."""
        self._store.run(breakers.close, self._provider, self._key_id)
