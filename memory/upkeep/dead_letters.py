"""Dead work: its replay."""

from schemas.errors import Refused
from schemas.ledger.kinds import STEPS, WORK
from schemas.ledger.work import Work
from schemas.settings import Settings
from store.ledger import work
from store.llm import responses
from store.patrol import runs
from store.transaction import Transaction


def replay(tx: Transaction, settings: Settings, found: Work) -> None:
    """Make dead work ready again; for a dead step of a patrol, whose run has failed, start a new run.

    Raises:
        Refused: The work is not dead, or its kind is unknown to this version.
    """
    responses.remove_unanswered(tx, found.owner_id)
    if WORK.get(found.kind) not in STEPS.values():
        work.replay(tx, found)
        return
    if not work.remove(tx, found):
        raise Refused("Only dead work can be replayed.")
    runs.want(tx, found.owner_id, demanded=True, notes=settings.run_notes)
