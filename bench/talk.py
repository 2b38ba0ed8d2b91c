"""Measures the model calls and tokens of a hundred messages by purpose, at chat pace and in bulk.

The messages are the sample's, the canned provider answers, and the calls are counted from the accounts. At chat pace a
user and a Being speak in turn, and each is looked after before the other answers.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from bench.figures import Figure
from bench.ground import Ground
from memory.intake.intake import accept_messages
from memory.talk import judging, rolling, session_summary, spine
from providers.canned.provider import CannedProvider, served
from providers.thinkers import Thinkers
from schemas import kinds
from schemas.accounts.accounts import Being
from schemas.settings import CHECKOUT, Settings
from schemas.work import Claim
from store.accounts import users
from store.database import Store
from store.ledger import work

MESSAGES = 100
LEASE = timedelta(minutes=1)
# The design's upper bound on extraction calls.
GOALS = {("chat pace", "judge"): 12.0, ("bulk", "judge"): 3.0}
Do = Callable[[Store, Thinkers, Settings, Claim], object]
STEPS: dict[str, Do] = {
    kinds.JUDGE.name: judging.judge,
    kinds.ROLLING_SUMMARY.name: rolling.summarise,
    kinds.SESSION_SUMMARY.name: session_summary.summarise,
    kinds.SPINE.name: spine.write,
}


def talk(ground: Ground) -> Iterator[Figure]:
    """Count calls, input tokens and output tokens for a hundred messages of one conversation, by purpose."""
    said = _conversation()
    with served(CannedProvider()) as provider:
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
                judging.request_judging(tx, settings, being.being_id, session_ids)
                session_summary.request_due(tx, being.being_id)
            _looked_after(ground.store, settings, being)
            yield from _figures(ground.store, user.user_id, pace)


def _conversation() -> list[dict[str, Any]]:
    """Return a hundred messages of one conversation that takes place now."""
    lines = (CHECKOUT / "samples" / "conversation.jsonl").read_text("utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    return [{"role": one["role"], "content": one["content"]} for one in told if one["role"] != "other"][:MESSAGES]


def _looked_after(store: Store, settings: Settings, being: Being) -> None:
    """Do all due work of a Being and its user."""
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
