"""The ledger in figures, as a monitor reads them at each scrape."""

from dataclasses import dataclass
from typing import Any

from schemas.ledger.work import UnknownWork
from schemas.llm.calls import BudgetToday
from schemas.settings import Settings
from store.database import Store
from store.ledger import metrics
from store.llm import budgets


@dataclass(frozen=True)
class Figures:
    """The ledger's figures.

    Attributes:
        rows: Those of `store.ledger.metrics.FIGURES` by name, each a list of labels with numbers.
        unknown_work: Due units of kinds that this version does not know.
        budgets: The day's budgets with a limit, and the spent part of each.
    """

    rows: dict[str, list[dict[str, Any]]]
    unknown_work: list[UnknownWork]
    budgets: list[BudgetToday]


def figures(store: Store, settings: Settings) -> Figures:
    """Read the ledger's figures, all at one moment."""
    with store.transaction() as tx:
        return Figures(
            {name: metrics.figure(tx, name) for name in metrics.FIGURES},
            metrics.unknown_due(tx),
            budgets.today(tx, settings, user_id=None, being_id=None),
        )
