"""Numbers of what was found in a Being's conversations, and of what was dropped of models' answers."""

from schemas.accounts.accounts import Being
from schemas.llm.drops import Judgements
from store.llm import drops
from store.transaction import Transaction


def counted(tx: Transaction, being: Being) -> Judgements:
    """Count the judgings of a Being, and what was dropped by purpose and reason."""
    return Judgements(judged=drops.judged(tx, being.being_id), dropped=drops.of_being(tx, being.being_id))
