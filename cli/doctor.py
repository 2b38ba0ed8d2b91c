"""`patrol doctor`: whether all is well, and if not what to do."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any

from rich.text import Text
from typer import Exit, Option

from cli.ledger import opened, ring
from cli.options import JsonOption
from cli.output import say, say_json, table
from memory.canary import NoReturn, send_canary
from memory.health import Finding, findings
from providers.errors import ProviderError
from providers.prices import cost_of
from providers.thinking import Usage
from workers.processes import wait_until
from workers.resources import Resources

PING_SECONDS = 2.0


def doctor(
    patience: Annotated[float, Option(metavar="SECONDS", min=1, help="How long the canary may take.")] = 30.0,
    *,
    canary: Annotated[bool, Option("--canary/--no-canary", help="Whether to send a note the whole way.")] = True,
    as_json: JsonOption = False,
) -> None:
    """See whether all is well, with a note sent the whole way from the door to recall.

    Ends with 1 if something is not.
    """
    with opened() as on:
        found = list(_findings(on, patience, canary=canary))
    if as_json:
        say_json([finding.__dict__ for finding in found])
    else:
        shown = table("", "what", "*found")
        for finding in found:
            mark = Text("well", style="green") if finding.good else Text("ill", style="bold red")
            shown.add_row(mark, finding.name, finding.words)
        say(shown)
    if not all(finding.good for finding in found):
        raise Exit(1)


def _findings(on: Resources, patience: float, *, canary: bool) -> Iterator[Finding]:
    yield Finding("database", good=True, words="there, and up to date")
    yield _workers()
    yield from findings(on.store, on.settings)
    yield _embedder(on)
    yield _thinker(on)
    if canary:
        yield _canary(on, patience)


def _workers() -> Finding:
    from workers.app import app  # noqa: PLC0415  # it reads where the broker is, which the database's check comes before

    try:
        answers: dict[str, Any] = app.control.inspect(timeout=PING_SECONDS).ping() or {}
    except app.connection_for_write().connection_errors as fault:
        return Finding("redis", good=False, words=f"out of reach ({type(fault).__name__})")
    # Beat answers as well, and works nothing off.
    workers = sorted(name for name in answers if name.partition("@")[0] != "beat")
    if not workers:
        return Finding("workers", good=False, words="none answers: start `patrol up` or `patrol worker`")
    return Finding("workers", good=True, words=", ".join(workers))


def _embedder(on: Resources) -> Finding:
    try:
        return Finding("embedder", good=True, words=on.embedders.wanted.model)
    except ProviderError as fault:
        return Finding("embedder", good=False, words=str(fault))


def _thinker(on: Resources) -> Finding:
    try:
        thinker = on.thinkers.platform()
    except ProviderError as fault:
        return Finding("thinker", good=False, words=str(fault))
    if thinker is None:
        return Finding("thinker", good=True, words="nobody: set a key, and memories are merged and told in a diary")
    models = dict.fromkeys((thinker.model("large"), thinker.model("small")))
    unpriced = [model for model in models if cost_of(model, Usage(), on.settings.prices) is None]
    unknown = f"; what {' and '.join(unpriced)} costs is not known: set PATROL_PRICES" if unpriced else ""
    words = f"{' and '.join(models)}, {on.settings.thinking_calls} questions at a time{unknown}"
    return Finding("thinker", good=True, words=words)


def _canary(on: Resources, patience: float) -> Finding:
    wait: Callable[[Callable[[], bool]], bool] = partial(wait_until, patience=patience)
    try:
        seconds = send_canary(on.store, on.embedders, on.settings, ring, wait)
    except (NoReturn, ProviderError) as fault:
        return Finding("canary", good=False, words=str(fault))
    return Finding("canary", good=True, words=f"a note was recalled {seconds:.2f} s after it was handed in")
