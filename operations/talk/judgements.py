"""Counts of what models' answers brought, and of what was dropped of them."""

from operations.declaration import Command, operation
from schemas.accounts.accounts import Being
from schemas.llm.drops import Judgements
from store.llm import drops
from store.transaction import Transaction


@operation("GET /v1/beings/{being}/judgements", scope="read", commands=[Command("judgements")])
def show_judgements(tx: Transaction, being: Being) -> Judgements:
    """Count what was found in a Being's conversations, and what was dropped of models' answers, by reason.

    Counts are kept for PATROL_KEEP_JUDGEMENTS.
    """
    return drops.of_being(tx, being.being_id)
