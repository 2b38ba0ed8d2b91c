"""What a hundred messages cost: calls and tokens by purpose, at chat pace and in bulk.

The messages are the sample's, and who answers is the tests' fake provider; what is counted is what the accounts say was
asked. At chat pace a user and a Being speak in turn, and each is looked after before the other answers.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from bench.figures import Figure
from bench.ground import Ground
from memory import closing, judging, rolling, spine
from memory.intake import accept_messages
from providers.thinkers import Thinkers
from schemas.rows import Being
from schemas.settings import CHECKOUT, Settings
from schemas.work import Claim
from store import users, work
from store.database import Store
from tests.fakes.provider import running_provider

MESSAGES = 100
LEASE = timedelta(minutes=1)
# The most extraction calls that are wanted (the goal of the design).
GOALS = {("chat pace", "judge"): 12.0, ("bulk", "judge"): 3.0}
Do = Callable[[Store, Thinkers, Settings, Claim], object]
STEPS: dict[str, Do] = {
    judging.KIND: judging.judge,
    rolling.KIND: rolling.summarise,
    closing.KIND: closing.summarise,
    spine.KIND: spine.write,
}


def talk(ground: Ground) -> Iterator[Figure]:
    """Calls, tokens read and tokens written for a hundred messages of one conversation, by purpose."""
    said = _conversation()
    with running_provider() as provider:
        settings = Settings(thinker="anthropic", anthropic_api_key="any", anthropic_base_url=provider.url)
        for pace, size in (("chat pace", 1), ("bulk", MESSAGES)):
            with ground.store.transaction() as tx:
                user = users.add_user(tx, f"talks at {pace}", "UTC")
                being = users.add_being(tx, user.user_id, "talk", "Talk")
            for start in range(0, MESSAGES, size):
                accept_messages(ground.store, settings, being.being_id, said[start : start + size])
                _looked_after(ground.store, settings, being)
            with ground.store.transaction() as tx:
                tx.execute("update memory.sessions set ended_at = last_activity_at where ended_at is null")
                session_ids = [row["session_id"] for row in tx.execute("select session_id from memory.sessions")]
                judging.ask_for_judging(tx, settings, being.being_id, session_ids)
                closing.ask(tx, being.being_id)
            _looked_after(ground.store, settings, being)
            yield from _figures(ground.store, user.user_id, pace)


def _conversation() -> list[dict[str, Any]]:
    """A hundred messages in one conversation, now."""
    lines = (CHECKOUT / "samples" / "conversation.jsonl").read_text("utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    return [{"role": one["role"], "content": one["content"]} for one in told if one["role"] != "other"][:MESSAGES]


def _looked_after(store: Store, settings: Settings, being: Being) -> None:
    """Do all that is due for a Being and its user."""
    thinkers = Thinkers(settings)
    while due := _due(store, [being.being_id, being.user_id]):
        for claim in due:
            STEPS[claim.kind](store, thinkers, settings, claim)
    thinkers.close()


def _due(store: Store, owners: Sequence[UUID]) -> list[Claim]:
    with store.transaction() as tx:
        rows = tx.execute(
            "select owner_id, kind, key from memory.work where owner_id = any(%s) and kind = any(%s)"
            " and state = 'ready' and next_at <= clock_timestamp()",
            [list(owners), list(STEPS)],
        ).fetchall()
        claims = [work.claim(tx, row["owner_id"], row["kind"], row["key"], lease=LEASE, attempts=5) for row in rows]
    return [claim for claim in claims if claim]


def _figures(store: Store, user_id: UUID, pace: str) -> Iterator[Figure]:
    with store.transaction() as tx:
        rows = tx.execute(
            "select purpose, count(*) as calls, sum(input_tokens + cache_read_tokens + cache_write_tokens) as read,"
            " sum(output_tokens) as written from memory.model_calls where user_id = %s and provider = 'anthropic'"
            " group by purpose order by purpose",
            [user_id],
        ).fetchall()
    for row in rows:
        yield Figure(
            what=f"{row['purpose']} at {pace}: calls for {MESSAGES} messages",
            measured=row["calls"],
            unit="",
            limit=GOALS.get((pace, row["purpose"])),
            against="the goal" if (pace, row["purpose"]) in GOALS else "",
            remark=f"{row['read']:,} tokens read, {row['written']:,} written",
        )
