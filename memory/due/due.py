"""Makes a notice of each todo, promise and reminder whose time has come, once."""

from datetime import timedelta

from schemas.ledger import kinds
from store.database import Store
from store.facts import due
from store.ledger import work

NOTICED_AT_ONCE = 500
# What an import brings in from long ago is no surprise; what came due while no worker ran is told late.
NOTICED_WITHIN = timedelta(days=7)


def notice(store: Store) -> None:
    """Make notices of what has come due, and request their delivery to the users that have a webhook."""
    while True:
        with store.transaction() as tx:
            made = due.notice(tx, within=NOTICED_WITHIN, limit=NOTICED_AT_ONCE)
            for one in made:
                if one.has_webhook:
                    work.ask(tx, one.being_id, kinds.DELIVER_DUE, str(one.notice_id))
        if len(made) < NOTICED_AT_ONCE:
            return
