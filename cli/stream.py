"""`patrol stream`: the door of Redis streams, how far it has come, and what it could not take."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Annotated

from redis import Redis
from typer import Argument, Context, Exit, Option, Typer

from cli.failures import Failure
from cli.ledger import opened, quiet_settings, ring
from cli.options import JsonOption
from cli.output import count, say, say_json, table, words
from schemas.limits import PAGE_NODES
from schemas.settings import Settings
from workers import rejected as refusals
from workers.addresses import addresses
from workers.interrupts import held, stoppable
from workers.logs import configure_logs
from workers.rejected import Rejected

stream = Typer()

TIMEOUT_SECONDS = 10.0


@stream.callback(invoke_without_command=True)
def read(context: Context) -> None:
    """Move what producers write to `patrol:notes` and `patrol:messages` into the ledger, until told to stop.

    Any number of readers may run: what one of them leaves behind, another takes.
    """
    if context.invoked_subcommand:
        return
    from api.streams import StreamReader  # noqa: PLC0415  # the other commands do without

    with suppress(KeyboardInterrupt), stoppable(), opened() as on, _redis() as redis:
        configure_logs(Settings())
        with held() as received:
            StreamReader(on, redis, ring).run(lambda: received)


@stream.command("status")
def show_status(*, as_json: JsonOption = False) -> None:
    """Show how far each stream has been read. Ends with 1 if nobody reads."""
    from api.streams import readers, states  # noqa: PLC0415  # the other commands do without

    with _redis() as redis:
        found, reading = list(states(redis)), readers(redis)
        waiting = redis.xlen(refusals.STREAM)
    if as_json:
        say_json({"streams": found, "readers": reading, "rejected": waiting})
    else:
        shown = table("stream", ">entries kept", ">not acknowledged")
        for one in found:
            shown.add_row(one.stream, str(one.entries), str(one.pending))
        say(shown, f"Readers: {', '.join(reading) or 'none'}. Rejected: {waiting}.")
    if not reading:
        raise Exit(1)


@stream.command("rejected")
def list_rejected(
    limit: Annotated[int, Option("--limit", "-n", min=1, help="The most to list.")] = PAGE_NODES,
    *,
    as_json: JsonOption = False,
) -> None:
    """List what no door could take, oldest first, with the reason; as JSON with what was sent, too."""
    with _redis() as redis:
        found = list(refusals.listed(redis, limit))
    if as_json:
        return say_json([_as_json(one) for one in found])
    shown = table("entry", "what", "since", "*reason")
    for one in found:
        shown.add_row(one.entry, one.what, f"{one.since:%Y-%m-%d %H:%M}", words(one.reason))
    say(shown if found else "Nothing was rejected.")
    return None


@stream.command("replay")
def replay(
    entries: Annotated[
        list[str] | None, Argument(metavar="ENTRY", help="What to try again, as `patrol stream rejected` names it.")
    ] = None,
    *,
    everything: Annotated[bool, Option("--all", help="All that was rejected until now.")] = False,
) -> None:
    """Give what was rejected back to its door, once what was wrong has been mended."""
    if everything == bool(entries):
        raise Failure("Name the entries to replay, or say --all. See `patrol stream rejected`.")
    with _redis() as redis:
        wanted = (
            list(islice(refusals.listed(redis), redis.xlen(refusals.STREAM))) if everything else _named(redis, entries)
        )
        replayed = sum(refusals.replay(redis, one) for one in wanted if one.whole)
    say(f"{count(replayed, 'entry')} given back.")
    if cut := sum(not one.whole for one in wanted):
        raise Failure(
            f"{count(cut, 'entry')} of more than {refusals.LONGEST} bytes can't be: they were not kept whole."
        )


def _named(redis: Redis, entries: list[str] | None) -> list[Rejected]:
    found = []
    for entry in entries or []:
        one = refusals.find(redis, entry)
        if one is None:
            raise Failure(f"There is no rejected entry {words(entry)}. See `patrol stream rejected`.")
        found.append(one)
    return found


def _as_json(one: Rejected) -> dict[str, object]:
    return {
        "entry": one.entry,
        "what": one.what,
        "id": one.id,
        "since": one.since,
        "reason": one.reason,
        "data": one.data.decode(errors="replace"),
        "whole": one.whole,
    }


@contextmanager
def _redis() -> Iterator[Redis]:
    with Redis.from_url(addresses(quiet_settings()).redis_url, socket_timeout=TIMEOUT_SECONDS) as redis:
        yield redis
