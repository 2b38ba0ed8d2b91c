"""Measures the model calls and tokens of a hundred messages by purpose, at chat pace and in bulk.

The messages are the sample's, the canned provider answers, and the calls are counted from the accounts. At chat pace a
user and a Being speak in turn, and each is looked after before the other answers. The calls that draw scenes are
compared with those that only summarise: they must be as many.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal
from uuid import UUID

from bench.figures import Figure
from bench.ground import Ground
from memory.intake.messages import accept_messages
from memory.talk import judging, rolling, session_summary, spine
from providers.thinkers import Thinkers
from samples.canned.provider import CannedProvider, served
from schemas.accounts.accounts import Being
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from schemas.settings import CHECKOUT, Settings
from store.accounts import beings, users
from store.database import Store
from store.ledger import work
from store.transaction import value

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
        for pace, size in (("chat pace", 1), ("bulk", MESSAGES)):
            without = _purposes(ground.store, _talked(ground.store, provider.url, said, pace, size, "off"))
            user_id = _talked(ground.store, provider.url, said, pace, size, "on")
            yield from _figures(_purposes(ground.store, user_id), pace, without["close"])
            yield Figure(
                what=f"scenes drawn at {pace}: of {MESSAGES} messages",
                measured=_scenes(ground.store, user_id),
                unit="",
                limit=None,
                against="",
                remark="",
            )


def _talked(
    store: Store, url: str, said: Sequence[dict[str, Any]], pace: str, size: int, scenes: Literal["on", "off"]
) -> UUID:
    """Talk to a new Being in batches of this size, until the conversation is over; returns the new user."""
    settings = Settings(thinker="anthropic", anthropic_api_key="any", anthropic_base_url=url, scenes=scenes)
    with store.transaction() as tx:
        user = users.add_user(tx, f"talks at {pace}, scenes {scenes}", "UTC")
        being = beings.add_being(tx, user.user_id, "talk", "Talk")
    for start in range(0, MESSAGES, size):
        accept_messages(store, settings, being.being_id, said[start : start + size])
        _looked_after(store, settings, being)
    with store.transaction() as tx:
        rows = tx.execute(
            "update memory.sessions set ended_at = last_activity_at where being_id = %s and ended_at is null"
            " returning session_id",
            [being.being_id],
        ).fetchall()
        judging.request_judging(tx, settings, being.being_id, [row["session_id"] for row in rows])
        session_summary.request_due(tx, being.being_id)
    _looked_after(store, settings, being)
    return user.user_id


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


def _scenes(store: Store, user_id: UUID) -> int:
    with store.transaction() as tx:
        return int(
            value(
                tx,
                "select count(*) from memory.notes join memory.beings using (being_id)"
                " where user_id = %s and origin = 'talk'",
                [user_id],
            )
        )


def _purposes(store: Store, user_id: UUID) -> dict[str, dict[str, Any]]:
    """Return calls, and tokens read and written, by purpose."""
    with store.transaction() as tx:
        rows = tx.execute(
            "select purpose, count(*) as calls, sum(input_tokens + cache_read_tokens + cache_write_tokens) as read,"
            " sum(output_tokens) as written from memory.model_calls where user_id = %s and provider = 'anthropic'"
            " group by purpose order by purpose",
            [user_id],
        ).fetchall()
    return {row["purpose"]: row for row in rows}


def _figures(rows: Mapping[str, Mapping[str, Any]], pace: str, only_summary: Mapping[str, Any]) -> Iterator[Figure]:
    for purpose, row in rows.items():
        limit, against = GOALS.get((pace, purpose)), "the goal"
        remark = f"{row['read']:,} tokens read, {row['written']:,} written"
        if purpose == "close":
            limit, against = float(only_summary["calls"]), "without scenes"
            remark += f"; without scenes {only_summary['read']:,} and {only_summary['written']:,}"
        yield Figure(
            what=f"{purpose} at {pace}: calls for {MESSAGES} messages",
            measured=row["calls"],
            unit="",
            limit=limit,
            against=against if limit is not None else "",
            remark=remark,
        )
