"""Workers die while what is due is delivered: the webhook can tell each delivery, and each is recorded once."""

import json
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from memory.accounts import webhooks
from memory.intake.notes import accept_notes
from store.accounts import beings
from tests.processes.webhooks import running_receiver

SECRET_KEY = "a secret of thirty-two characters"  # noqa: S105  # a test's
FERNS = ["Water the ferns.", "Feed the cat.", "Call the electrician."]


@pytest.mark.usefixtures("locks_in_order")
def test_each_notice_is_delivered_once_or_known_by_its_id(life, wait_until):
    points = [f"{point}@session_close.deliver_due" for point in ("after claim", "inside apply", "after commit")]
    life.settings = life.settings.model_copy(update={"secret_key": SecretStr(SECRET_KEY), "webhook_private": True})
    with life.store.transaction() as tx:
        user_id = beings.get_being(tx, life.being_id).user_id
    with running_receiver() as receiver:
        webhooks.put(life.store, life.settings, user_id, receiver.url)
        life.worker(
            crash_at=points,
            PATROL_SECRET_KEY=SECRET_KEY,
            PATROL_WEBHOOK_PRIVATE="on",
            PATROL_LEASE="PT2S",
        )
        now = datetime.now(UTC).isoformat()
        reminders = [{"type": "reminder", "content": content, "due_at": now} for content in FERNS]
        accept_notes(life.store, life.settings, life.being_id, reminders)

        def delivered():
            with life.store.transaction() as tx:
                rows = tx.execute("select delivered_at from memory.due_notices").fetchall()
            return [row["delivered_at"] is not None for row in rows] == [True] * len(FERNS)

        wait_until(lambda: life.has_died(points) and delivered() and life.settled())
    told = {headers["Webhook-Id"]: json.loads(body)["notice"]["content"] for _, headers, body in receiver.took}
    assert sorted(told.values()) == sorted(FERNS)
    # The one that was delivered and not recorded.
    assert len(receiver.took) - len(told) == 1
