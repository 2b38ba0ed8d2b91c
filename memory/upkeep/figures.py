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
    """The ledger's figures, each a list of rows: labels with numbers.

    Attributes:
        open_work: Units of work that are not done, and for how long, by queue and state.
        finished_work: Units done in the last 15 minutes, and how long they took, by kind.
        unknown_work: Due units of kinds that this version does not know.
        dropped_items: Items of models' answers that were dropped in the last day.
        model_calls: Calls of models in the last day.
        settled_calls: All calls of models that have ended.
        unjudged_messages: User messages that no judge has read yet.
        budgets_reached: Owners whose budget of the day is reached.
        budgets: The day's budgets with a limit, and what is spent of each.
        rows_written: Rows taken in or made.
        heartbeats: How long ago each recurring activity ran.
    """

    open_work: list[dict[str, Any]]
    finished_work: list[dict[str, Any]]
    unknown_work: list[UnknownWork]
    dropped_items: list[dict[str, Any]]
    model_calls: list[dict[str, Any]]
    settled_calls: list[dict[str, Any]]
    unjudged_messages: list[dict[str, Any]]
    budgets_reached: list[dict[str, Any]]
    budgets: list[BudgetToday]
    rows_written: list[dict[str, Any]]
    heartbeats: list[dict[str, Any]]


def figures(store: Store, settings: Settings) -> Figures:
    """Read the ledger's figures, all at one moment."""
    with store.transaction() as tx:
        return Figures(
            open_work=metrics.open_work(tx),
            finished_work=metrics.finished_work(tx),
            unknown_work=metrics.unknown_due(tx),
            dropped_items=metrics.dropped_items(tx),
            model_calls=metrics.model_calls(tx),
            settled_calls=metrics.settled_calls(tx),
            unjudged_messages=metrics.unjudged_messages(tx),
            budgets_reached=metrics.budgets_reached(tx),
            budgets=budgets.today(tx, settings, user_id=None, being_id=None),
            rows_written=metrics.rows_written(tx),
            heartbeats=metrics.heartbeats(tx),
        )
