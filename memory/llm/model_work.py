"""The driver of work that asks a model: read, ask, lock, check for changes, keep.

No database connection is held while the model is asked, so the rows that were read may change meanwhile: they are
checked again under the locks of the transaction that finishes the work.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar
from uuid import UUID

import structlog

from memory.llm.payer import LlmUnavailable
from memory.llm.session import LlmSession, llm_session
from providers.errors import ProviderError
from providers.thinkers import Thinkers
from schemas.errors import BudgetSpent
from schemas.ledger.work import Claim
from schemas.settings import Settings
from store.database import Store
from store.transaction import Transaction

log = structlog.get_logger()

A = TypeVar("A")


Asking = Callable[[], A] | LlmUnavailable | None
"""A function that asks a model and derives the result to keep; or why no model can be asked; None: none is needed."""


class OpenSession(Protocol):
    """Opens a session with the model that serves the work; the arguments are those of `llm_session`."""

    def __call__(
        self, request_keys: Collection[UUID | None] = (), *, min_inputs: int | None = None, awaited: bool = True
    ) -> LlmSession | LlmUnavailable:
        """Open the session."""


@dataclass
class ModelWork(ABC, Generic[A]):
    """A unit of work that asks a model, and keeps the result of its answers (A).

    It holds the rows that it has read in attributes of its own, for the steps that follow.

    Args:
        settings: Prices, budgets, and the settings of the kinds of work.
    """

    store: Store
    settings: Settings
    claim: Claim

    @classmethod
    def do(cls, store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
        """Do the work of a claim, as `perform` does."""
        cls(store, settings, claim).perform(thinkers)

    def perform(self, thinkers: Thinkers) -> None:
        """Do the work, and finish it; without a usable key its inputs wait for one.

        Raises:
            BadAnswer, InputRefused: No answer was valid, and no part of the material can be kept without one.
            Transient, Misconfigured, BudgetSpent, LeaseLost: As `LlmSession.ask`; nothing was kept.
        """
        with self.store.transaction() as tx:
            opening = partial(llm_session, tx, self.store, thinkers, self.settings, self.claim)
            ask = self.read(tx, opening)
        answer = self._answer(ask)
        waits_for = ask if isinstance(ask, LlmUnavailable) and answer is None else None
        with self.store.finishing(self.claim, intake=self.lock_intake, first=self.lock) as tx:
            if waits_for:
                self.wait(tx, waits_for)
            else:
                self.keep(tx, answer)
        if waits_for:
            owner, work = str(self.claim.owner_id), self.claim.kind
            log.info("work.waits_for_key", reason=waits_for.logged, work=work, owner_id=owner, key=self.claim.key)

    @abstractmethod
    def read(self, tx: Transaction, open_session: OpenSession) -> Asking[A]:
        """Read the inputs of the question, and open a session with the model if it is to be asked.

        Returns:
            How to ask; that is called without a connection.
        """

    @abstractmethod
    def keep(self, tx: Transaction, answer: A | None) -> None:
        """Keep the parts of the result that are still valid, and request the work that follows.

        Args:
            tx: The transaction that finishes the work, which holds the locks.
            answer: The result of the answers; None: the model was not to be asked.
        """

    def _answer(self, ask: Asking[A]) -> A | None:
        if ask is None:
            return None
        if isinstance(ask, LlmUnavailable):
            return self.without_model(ask)
        try:
            return ask()
        except (ProviderError, BudgetSpent) as fault:
            return self.after_fault(fault)

    def without_model(self, _: LlmUnavailable, /) -> A | None:
        """Return the result where no model can be asked; None: the inputs wait for one. No connection is held."""
        return None

    def after_fault(self, fault: ProviderError | BudgetSpent) -> A:
        """Return the result after a fault of the model's provider, or raise the fault; no connection is held."""
        raise fault

    def wait(self, tx: Transaction, unavailable: LlmUnavailable, /) -> None:
        """Leave the inputs for when a key is usable, and mark that they wait; without it nothing has to be marked."""

    def lock_intake(self, tx: Transaction) -> None:
        """Take the lock that precedes all others, if any is needed: the Being's intake, or the user's row alone."""

    def lock(self, tx: Transaction) -> None:
        """Take the locks that transactions requesting this work hold (sql/functions/05_locks.sql)."""
