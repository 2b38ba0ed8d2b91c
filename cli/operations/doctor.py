"""`patrol doctor`: checks the servers, the running workers, the queues and the models, and names remedies."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any

from rich.text import Text
from typer import Exit, Option

from cli.console.ledger import open_ledger
from cli.console.options import JsonOption
from cli.console.output import say_list, table
from memory.upkeep.health import Finding, backlog, findings
from memory.upkeep.smoke_test import NoReturn, send_canary
from providers.errors import ProviderError
from schemas.ledger.kinds import QUEUES
from workers.embedded.processes import wait_until
from workers.runtime.resources import Resources

ANSWER_SECONDS = 2.0

Report = dict[str, Any]
"""A worker's answer, see `workers.runtime.model_report`."""


def doctor(
    patience: Annotated[float, Option(metavar="SECONDS", min=1, help="How long the canary may take.")] = 30.0,
    *,
    canary: Annotated[bool, Option("--canary/--no-canary", help="Whether to send a note the whole way.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Check servers, workers, queues and models, and send a note from a door through a patrol to recall.

    The models are those of the running workers, not of this shell's environment. No check costs money: the note's
    Being uses the local embedder and has a budget of 0. Ends with 1 if something is wrong.
    """
    with open_ledger() as on:
        found = list(_findings(on, patience, canary=canary))
    marks = {True: Text("well", style="green"), False: Text("ill", style="bold red")}
    shown = table("", "what", "*found", rows=((marks[one.good], one.name, Text(one.words)) for one in found))
    say_list("findings", [finding.__dict__ for finding in found], shown, as_json=as_json)
    if not all(finding.good for finding in found):
        raise Exit(1)


def _findings(on: Resources, patience: float, *, canary: bool) -> Iterator[Finding]:
    yield Finding("database", good=True, words="reachable, and of this version")
    yield from _workers()
    yield from backlog(on.store, on.settings)
    yield from findings(on.store, on.settings)
    if canary:
        yield _canary(on, patience)


def _workers() -> Iterator[Finding]:
    from kombu.exceptions import OperationalError  # noqa: PLC0415  # loads slowly

    from workers.runtime.app import app  # noqa: PLC0415  # reads the broker's URL, which the ledger's check comes before
    from workers.runtime.model_report import COMMAND  # noqa: PLC0415  # likewise

    try:
        replies: list[dict[str, Report]] = app.control.broadcast(COMMAND, reply=True, timeout=ANSWER_SECONDS) or []
    except (OperationalError, *app.connection_for_write().connection_errors) as fault:
        reason = str(fault).strip().rstrip(".") or type(fault).__name__
        yield Finding("redis", good=False, words=f"out of reach: {reason}. Start the server, or correct REDIS_URL")
        return
    # Beat answers too, that it does not know the command.
    reports = {name: report for reply in replies for name, report in reply.items() if "queues" in report}
    if not reports:
        yield Finding("workers", good=False, words="none answers: start `patrol up` or `patrol worker`")
        return
    names = ", ".join(sorted(reports))
    served = {queue for report in reports.values() for queue in report["queues"]}
    missing = [queue for queue in QUEUES if queue not in served]
    words = f"{names}; none consumes {', '.join(missing)}: start one" if missing else names
    yield Finding("workers", good=not missing, words=words)
    yield _models("embedder", reports, lambda report: str(report["embedder"]))
    yield _models("language models", reports, _language_models)
    if errors := sorted({error for report in reports.values() for error in report["errors"]}):
        yield Finding("settings of models", good=False, words=" ".join(errors))


def _models(name: str, reports: dict[str, Report], shown: Callable[[Report], str]) -> Finding:
    """Describe the models of all workers; each description with its workers, if they differ."""
    by_description: dict[str, list[str]] = {}
    for worker, report in sorted(reports.items()):
        by_description.setdefault(shown(report), []).append(worker)
    if len(by_description) == 1:
        return Finding(name, good=True, words=next(iter(by_description)))
    words = "; ".join(f"{', '.join(workers)}: {described}" for described, workers in by_description.items())
    return Finding(name, good=True, words=words)


def _language_models(report: Report) -> str:
    if not report["language_models"]:
        return "none without a user's key: no facts from messages, no merges, no diary"
    unpriced = report["unpriced"]
    unknown = f"; the price of {' and '.join(unpriced)} is unknown: set PATROL_PRICES" if unpriced else ""
    return f"{' and '.join(report['language_models'])}{unknown}"


def _canary(on: Resources, patience: float) -> Finding:
    wait: Callable[[Callable[[], bool]], bool] = partial(wait_until, patience=patience)
    try:
        seconds = send_canary(on.store, on.embedders, on.settings, wait)
    except (NoReturn, ProviderError) as fault:
        return Finding("canary", good=False, words=str(fault))
    return Finding("canary", good=True, words=f"a note was recalled {seconds:.2f} s after it was accepted")
