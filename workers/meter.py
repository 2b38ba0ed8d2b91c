"""The meter of a process: what its embedder uses goes into the accounts of whoever it embeds for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from uuid import UUID

from providers.errors import ProviderError
from providers.metering import Asker, asking
from providers.prices import cost_of
from providers.thinking import Usage
from schemas.settings import Settings
from store import calls
from store.calls import Account, Budget
from store.database import Store
from store.transaction import commit_soon

PROVIDER = "openai"


class AccountsMeter:
    """Reserves each request within the day's budget, and settles it. Embedding is the platform's to pay.

    Args:
        store: The ledger.
        settings: Prices, and what a day may cost.
    """

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    @contextmanager
    def request(self, model: str, tokens: int) -> Iterator[Callable[[int], None]]:
        """Account for a request; the Meter protocol says how. Where nobody is known to ask, nobody's accounts change.

        Raises:
            BudgetSpent: The day's budget has not so much left.
        """
        told = [tokens]
        asker = asking()
        if asker is None:
            yield told.append
            return
        account, call_id = self._reserve(asker, model, tokens)
        try:
            yield told.append
        except ProviderError as error:
            if not error.perhaps_paid:
                with self._store.transaction() as tx:
                    calls.settle(tx, account.owner_id, call_id, "failed")
            raise
        cost = self._cost(model, told[-1])
        # A call whose settling is lost counts at its most.
        with self._store.transaction() as tx, tx.pipeline():
            commit_soon(tx)
            calls.settle(tx, account.owner_id, call_id, "answered", input_tokens=told[-1], cost=cost)

    def _reserve(self, asker: Asker, model: str, tokens: int) -> tuple[Account, UUID]:
        with self._store.transaction() as tx:
            account = Account(*calls.account(tx, asker.owner_id), asker.kind, asker.key, "platform")
            return account, calls.reserve(
                tx,
                account,
                purpose=asker.purpose,
                provider=PROVIDER,
                model=model,
                batch=False,
                input_tokens=tokens,
                output_tokens=0,
                cost=self._cost(model, tokens),
                budget=Budget(self._settings.daily_tokens, self._settings.daily_cost),
            )

    def _cost(self, model: str, tokens: int) -> Decimal | None:
        return cost_of(model, Usage(input_tokens=tokens), self._settings.prices)
