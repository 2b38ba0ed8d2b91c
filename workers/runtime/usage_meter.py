"""Records a process's embedding requests in the accounts of the Being or user that they are made for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import partial

import structlog

from providers.completion import Usage
from providers.errors import ProviderError
from providers.metering import current_owner
from providers.prices import cost_of
from schemas.errors import Unavailable
from schemas.settings import Settings
from store.database import Store
from store.llm import budgets, calls
from store.llm.calls import Account

log = structlog.get_logger()

PROVIDER = "openai"


class AccountsMeter:
    """Reserves each request within the day's budget, and settles it. The platform's key pays for embedding.

    Args:
        settings: The prices and the daily budgets.
    """

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    @contextmanager
    def request(self, model: str, tokens: int) -> Iterator[Callable[[int], None]]:
        """Account for a request, by the Meter protocol.

        Raises:
            BudgetSpent: The rest of the day's budget is smaller.
            RuntimeError: The caller did not name the owner (`on_behalf_of`), so no account would show it.
        """
        used = [tokens]
        request_owner = current_owner()
        if request_owner is None:
            raise RuntimeError("A paid embedding request must be made inside `on_behalf_of`.")
        most = self._cost(model, tokens)
        with budgets.noted(self._store), self._store.transaction() as tx:
            call_id = calls.reserve(
                tx,
                Account(request_owner.owner_id, request_owner.kind, request_owner.key, "platform"),
                purpose=request_owner.purpose,
                provider=PROVIDER,
                model=model,
                batch=False,
                input_tokens=tokens,
                output_tokens=0,
                cost=most,
                limits=budgets.limits(self._settings, most),
            )
        settle = partial(calls.settle, owner_id=request_owner.owner_id, call_id=call_id)
        try:
            yield used.append
        except ProviderError as error:
            if not error.perhaps_paid:
                self._store.run(settle, outcome="failed")
            raise
        cost = self._cost(model, used[-1])
        try:
            self._store.run(settle, outcome="answered", input_tokens=used[-1], cost=cost)
        except Unavailable as fault:
            # The vectors are there and paid; the request counts at its reserved cost, the highest that it can have.
            log.warning("embeddings.unsettled", error=type(fault).__name__)

    def _cost(self, model: str, tokens: int) -> Decimal | None:
        return cost_of(model, Usage(input_tokens=tokens), self._settings.prices)
