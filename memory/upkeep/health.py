"""Checks of progress: due work of each queue is taken, work in progress ends, beat runs."""

from dataclasses import dataclass
from datetime import timedelta

from memory.upkeep.talk_languages import unread_languages
from providers.local.encoder_config import MINILM
from schemas.ledger.kinds import QUEUES
from schemas.llm.calls import AwayProvider
from schemas.settings import Settings
from store.database import Store
from store.ledger import metrics
from store.llm import breakers, budgets
from store.migrate import missing
from store.transaction import Transaction

SWEEPS_MISSED = 10
LEAST_SILENCE = timedelta(seconds=30)
# A single step may take long while a model is slow; if no work at all finishes for this many limits, it is a fault.
LIMITS_HELD = 10


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes:
        name: The name of the check.
        good: Whether all is well.
        words: The finding, and if it is not good, what to do.
        stops: Whether work stops because of it, so that monitoring has to know.
    """

    name: str
    good: bool
    words: str
    stops: bool = True


def findings(store: Store, settings: Settings) -> list[Finding]:
    """Run all checks of the ledger."""
    with store.transaction() as tx:
        return [
            _due(tx, settings),
            _held(tx, settings),
            _beat(tx, settings),
            _unknown(tx, settings),
            _dead(tx),
            _budgets(tx, settings),
            _away(tx),
            _languages(tx, settings),
            _wall(tx),
        ]


def _wall(tx: Transaction) -> Finding:
    words = "binds the processes' role"
    if tx.across is None:
        words = "binds nothing: the role of DATABASE_URL may act as the tables' owner (see docs/running.md)"
    return Finding("row-level security", good=True, words=words)


def _due(tx: Transaction, settings: Settings) -> Finding:
    waits = metrics.oldest_due(tx)
    if not waits:
        return Finding("due work", good=True, words="no work is due")
    late = {queue: waited for queue, waited in waits.items() if waited > settings.due_limit}
    if not late:
        oldest = max(waits.values())
        return Finding("due work", good=True, words=f"the oldest due work has waited {_seconds(oldest)}")
    queues = ", ".join(f"`{queue}` (for {_seconds(waited)})" for queue, waited in sorted(late.items()))
    return Finding(
        "due work",
        good=False,
        words=f"no worker takes the due work of the queues {queues}: check that one runs for each and consumes it",
    )


def _held(tx: Transaction, settings: Settings) -> Finding:
    held, finished = metrics.longest_held(tx), metrics.since_finished(tx)
    if held is None:
        return Finding("work in hand", good=True, words="none")
    limit = LIMITS_HELD * settings.due_limit
    words = f"held for {_seconds(held)} at the longest"
    if held <= limit or (finished is not None and finished <= limit):
        return Finding("work in hand", good=True, words=words)
    return Finding(
        "work in hand", good=False, words=f"{words}, and nothing was finished meanwhile: see the workers' logs"
    )


def _beat(tx: Transaction, settings: Settings) -> Finding:
    silence = max(SWEEPS_MISSED * timedelta(seconds=settings.sweep_every), LEAST_SILENCE)
    swept = metrics.since_sweep(tx)
    look = "see whether `patrol beat` and a worker for the queue `upkeep` run"
    if swept is None:
        return Finding("beat", good=False, words=f"the sweep has never run: {look}")
    words = f"the sweep ran {_seconds(swept)} ago"
    return Finding("beat", good=swept <= silence, words=words if swept <= silence else f"{words}: {look}")


def _unknown(tx: Transaction, settings: Settings) -> Finding:
    unknown = metrics.unknown_due(tx)
    if not unknown:
        return Finding("kinds of work", good=True, words="all known")
    kinds = ", ".join(f"{found.units} of {found.kind}" for found in unknown)
    return Finding(
        "kinds of work",
        # While a new version takes over, its workers take kinds of work that the old one does not know.
        good=max(found.waited for found in unknown) <= settings.due_limit,
        words=f"due work is of kinds that this version does not know ({kinds}): run workers of the version that does, "
        "or see `patrol work list --state ready` and drop it",
    )


def _dead(tx: Transaction) -> Finding:
    dead = metrics.dead(tx)
    words = (
        f"{dead} dead: see `patrol work list`, then `patrol work replay` or `patrol work remove`" if dead else "none"
    )
    return Finding("dead work", good=not dead, words=words, stops=False)


def _budgets(tx: Transaction, settings: Settings) -> Finding:
    reached = budgets.reached(tx)
    near = [each for each in budgets.today(tx, settings, user_id=None, being_id=None) if each.state == "near"]
    found = []
    if reached:
        found.append(f"{len(reached)} reached today, so what needs a model waits there: see `patrol cost`")
    if near:
        found.append(f"{len(near)} spent to 80 % or more")
    for state in ("reached", "spent to 80 % or more"):
        among = reached if state == "reached" else near
        if any(each.budget == "platform" for each in among):
            found.append(f"the platform's is {state}: raise it with PATROL_PLATFORM_DAILY_COST or _TOKENS")
    return Finding("daily budgets", good=True, words="; ".join(found) or "none reached")


def _away(tx: Transaction) -> Finding:
    """Nothing is lost while a provider is away: memories are kept without it, and it is asked again."""
    away = "; ".join(each.sentence() for each in breakers.summary(tx))
    return Finding("providers of language models", good=True, words=f"away: {away}" if away else "none is away")


def away_providers(store: Store) -> list[AwayProvider]:
    """List the providers of language models that are away."""
    return store.run(breakers.summary)


def _seconds(span: timedelta) -> str:
    return f"{span.total_seconds():.0f} s"


def missing_migrations(store: Store, *, patience: float | None = None) -> list[str]:
    """The names of the migrations that the database lacks, in order.

    Args:
        patience: Seconds to wait for a connection.

    Raises:
        Unavailable: There was none in time.
    """
    with store.transaction(patience=patience) as tx:
        return missing(tx)


def _languages(tx: Transaction, settings: Settings) -> Finding:
    """Whether Beings that use MiniLM as their embedder, which reads English, talk in other languages."""
    name = "languages"
    other = unread_languages(tx, settings)
    if not other:
        return Finding(name, good=True, words="no talk in other languages than English is embedded by MiniLM")
    named = ", ".join(f"{language} ({count})" for language, count in sorted(other.items()))
    return Finding(
        name,
        good=False,
        words=f"{other.total()} Beings talk mostly in other languages ({named}), and {MINILM} reads English: set "
        "PATROL_EMBEDDER to `multilingual` or PATROL_LOCAL_MODEL to a multilingual encoder",
        stops=False,
    )


GET_KEY = "set a key (see `patrol key add`, or ANTHROPIC_API_KEY for all users)"


def backlog(store: Store, settings: Settings) -> list[Finding]:
    """Count the ledger's open work by queue, unprocessed input, and work that waits for a model key.

    Args:
        settings: The limit after which due work is a fault.
    """
    with store.transaction() as tx:
        work, waiting = metrics.figure(tx, "open_work"), metrics.unprocessed_input(tx)
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
