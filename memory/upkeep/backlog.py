"""Waiting work by queue, and work that is not done because no model key pays for it."""

from memory.upkeep.health import Finding
from schemas.ledger.kinds import QUEUES
from schemas.settings import Settings
from store.database import Store
from store.ledger import metrics

GET_KEY = "set a key (see `patrol key add`, or ANTHROPIC_API_KEY for all users)"


def backlog(store: Store, settings: Settings) -> list[Finding]:
    """Count the ledger's open work by queue, unprocessed input, and work that waits for a model key.

    Args:
        settings: The limit after which due work is a fault.
    """
    with store.transaction() as tx:
        work, waiting = metrics.open_work(tx), metrics.unprocessed_input(tx)
    limit = settings.due_limit.total_seconds()
    found = []
    for queue in QUEUES:
        rows = [row for row in work if row["queue"] == queue and row["state"] != "dead"]
        if not rows:
            continue
        oldest = max(row["oldest"] for row in rows)
        units = ", ".join(f"{row['units']} {row['state']}" for row in sorted(rows, key=lambda row: row["state"]))
        late = f", the oldest due for {oldest:.0f} s: run a worker for this queue" if oldest > limit else ""
        found.append(Finding(f"queue {queue}", good=not late, words=f"{units}{late}"))
    if not found:
        found.append(Finding("queues", good=True, words="no work is ready or running"))
    found.append(
        Finding(
            "input",
            good=True,
            words=f"{waiting['notes']} scene notes wait for a patrol, {waiting['messages']} of users' messages for "
            "extraction of facts",
        )
    )
    if waiting["messages_without_key"] or waiting["summaries_without_key"]:
        words = (
            f"not done for want of a model key: facts from {waiting['messages_without_key']} messages, "
            f"{waiting['summaries_without_key']} rolling summaries; {GET_KEY}"
        )
        found.append(Finding("model keys", good=True, words=words))
    return found
