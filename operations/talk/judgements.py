"""Counts of items that models' answers brought, and of those that were dropped."""

from operations.declaration import Command, operation
from schemas.accounts.accounts import Being
from schemas.llm.drops import Judgements
from store.llm import drops
from store.transaction import Transaction


@operation("GET /v1/beings/{being}/judgements", scope="read", commands=[Command("judgements")])
def show_judgements(tx: Transaction, being: Being) -> Judgements:
    """Count the findings in a Being's conversations, and the items dropped from models' answers, by reason.

    Counts are kept for PATROL_KEEP_JUDGEMENTS.
    """
    return drops.of_being(tx, being.being_id)
