"""Measures the whole system through HTTP, with real workers and a model provider that answers at once.

Messages are handed in by four clients in batches of 500, then one by one; then notes likewise. Each is followed until
nothing is left to do: judged, summed up, indexed, embedded.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain
from time import perf_counter, sleep

from bench.figures import Figure
from bench.ground import Ground
from bench.ledger.producers import at_once, hand_in, hand_in_one_by_one, new_client
from bench.ledger.workforce import UNREMEMBERED, UNSETTLED, wait_until_none, workforce
from bench.memories import action, scene_note
from store.shares import LIVE_SECONDS

CLIENTS = 4
EACH = 2_500
SINGLE = 800
SINGLE_CLIENTS = (1, 32)
SESSION = 40
# What these goals are compared with: the figures that other systems reached on such a machine are below them.
GOALS = {"accepted": 5_000, "judged": 1_500, "settled": 1_000, "notes accepted": 5_000, "notes remembered": 1_500}
SINGLE_GOALS = {32: {"accepted": 400, "settled": 200}}
CALLS_GOAL = 8
# Of the history: what was just said waits for more to come.
UNJUDGED = (
    "select count(*) from memory.messages"
    " where role = 'user' and not judged and created_at < memory.now() - interval '1 day'"
)


def throughput(ground: Ground) -> Iterator[Figure]:
    """Measure messages and notes per second until accepted, judged or remembered, and until nothing is left to do."""
    with workforce(ground, thinks=True) as (url, _):
        yield from _messages(ground, url)
        yield _calls(ground)
        yield from _single_messages(ground, url)
        yield from _notes(ground, url)
        # Plans depend on what ANALYZE has found, which is nothing at first, and then those who were there.
        wait_until_none(ground, UNSETTLED)
        with ground.store.transaction() as tx:
            tx.execute("analyze")
        for figure in chain(_messages(ground, url), _notes(ground, url)):
            yield figure.model_copy(update={"what": f"{figure.what}, beside as many of others"})


def _messages(ground: Ground, url: str) -> Iterator[Figure]:
    clients = [new_client(ground, url) for _ in range(CLIENTS)]
    begun = datetime.now(UTC) - timedelta(days=300)
    messages = [message(position, begun) for position in range(EACH)]
    count = CLIENTS * EACH
    start = perf_counter()
    at_once([partial(hand_in, client, "messages", messages) for client in clients])
    yield _rate("messages accepted", count, start, GOALS["accepted"])
    wait_until_none(ground, UNJUDGED)
    yield _rate("messages judged", count, start, GOALS["judged"])
    wait_until_none(ground, UNSETTLED)
    yield _rate("messages until nothing is left to do", count, start, GOALS["settled"])


def _single_messages(ground: Ground, url: str) -> Iterator[Figure]:
    for callers in SINGLE_CLIENTS:
        client = new_client(ground, url, callers)
        now = datetime.now(UTC)
        messages = [message(position, now, apart=0) for position in range(SINGLE)]
        start = perf_counter()
        at_once(
            [partial(hand_in_one_by_one, client, "messages", messages[caller::callers]) for caller in range(callers)]
        )
        goals = SINGLE_GOALS.get(callers, {})
        who = "one client" if callers == 1 else f"{callers} clients"
        yield _rate(f"single messages accepted, {who}", SINGLE, start, goals.get("accepted"))
        wait_until_none(ground, UNSETTLED)
        yield _rate(f"single messages until nothing is left to do, {who}", SINGLE, start, goals.get("settled"))


def _notes(ground: Ground, url: str) -> Iterator[Figure]:
    clients = [new_client(ground, url) for _ in range(CLIENTS)]
    notes = [scene_note(position) for position in range(EACH)]
    # So long after a live request bulk still makes way for others like it, and rests.
    sleep(LIVE_SECONDS)
    start = perf_counter()
    at_once([partial(hand_in, client, "notes", notes) for client in clients])
    yield _rate("notes accepted", CLIENTS * EACH, start, GOALS["notes accepted"])
    wait_until_none(ground, UNREMEMBERED)
    yield _rate("notes remembered", CLIENTS * EACH, start, GOALS["notes remembered"])


def message(position: int, begun: datetime, *, apart: float = 20) -> dict[str, object]:
    """Return one of a history's messages; an hour lies between sessions."""
    at = begun + timedelta(seconds=apart * position, hours=position // SESSION if apart else 0)
    role = "assistant" if position % 2 else "user"
    return {"id": f"turn {position}", "role": role, "content": action(position), "created_at": at.isoformat()}


def _calls(ground: Ground) -> Figure:
    with ground.store.transaction() as tx:
        rows = tx.execute(
            "select purpose, count(*) as calls from memory.model_calls where provider = 'anthropic' group by purpose"
            " order by purpose"
        ).fetchall()
    hundreds = CLIENTS * EACH / 100
    return Figure(
        what="model calls for 100 messages in bulk",
        measured=sum(row["calls"] for row in rows) / hundreds,
        unit="",
        limit=CALLS_GOAL,
        against="the goal",
        remark=", ".join(f"{row['purpose']} {row['calls'] / hundreds:.1f}" for row in rows),
    )


def _rate(what: str, count: int, start: float, goal: float | None) -> Figure:
    measured = count / (perf_counter() - start)
    return Figure(what=what, measured=measured, unit="/s", limit=goal, against="the goal" if goal else "")
