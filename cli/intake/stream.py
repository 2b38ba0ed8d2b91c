"""`patrol stream`: the reader of the Redis streams, its progress, and rejected entries."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Annotated

from redis import Redis
from typer import Argument, Context, Exit, Option, Typer

from api.streams.heartbeats import readers
from cli.console.failures import Failure
from cli.console.ledger import open_ledger
from cli.console.options import JsonOption
from cli.console.output import count, listing, say, say_answer, say_list, table, words
from cli.console.quiet import quiet_settings
from schemas.limits import PAGE_NODES
from schemas.settings import Settings
from store.migrate import await_migrated
from workers.embedded.interrupts import held, stoppable
from workers.runtime.addresses import addresses, schema_url
from workers.runtime.logs import configure_logs
from workers.runtime.redis_client import open_redis
from workers.runtime.resources import STEP_STATEMENT_SECONDS
from workers.streams import rejected as refusals
from workers.streams.rejected import Rejected

stream = Typer()

TIMEOUT_SECONDS = 10.0


@stream.callback(invoke_without_command=True)
def read(context: Context) -> None:
    """Read the streams `patrol:notes` and `patrol:messages` into the ledger, until stopped.

    Any number of readers may run; entries of a reader that died are claimed by another.
    """
    if context.invoked_subcommand:
        return
    from api.streams.reader import StreamReader  # noqa: PLC0415  # the other commands do without

    settings = Settings()
    with suppress(KeyboardInterrupt), stoppable():
        configure_logs(settings)
        # Before the ledger is opened, which refuses a schema of another version.
        await_migrated(schema_url(settings))
        reading = open_ledger(settings, statement_seconds=STEP_STATEMENT_SECONDS)
        with reading as on, _redis(settings) as redis, held() as received:
            StreamReader(on, redis).run(lambda: received)


@stream.command("status")
def show_status(*, as_json: JsonOption = False) -> None:
    """Show how far each stream has been read. The exit code is 1 if no reader runs."""
    from api.streams.reader import states  # noqa: PLC0415  # the other commands do without

    with _redis() as redis:
        found, reading = list(states(redis)), readers(redis)
        waiting = redis.xlen(refusals.STREAM)
    rows = ((one.stream, one.entries, one.pending) for one in found)
    shown = table("stream", ">entries kept", ">not acknowledged", rows=rows)
    readers_line = f"Readers: {', '.join(reading) or 'none'}. Rejected: {waiting}."
    say_answer({"streams": found, "readers": reading, "rejected": waiting}, shown, readers_line, as_json=as_json)
    if not reading:
        raise Exit(1)


@stream.command("rejected")
def list_rejected(
    limit: Annotated[int, Option("--limit", "-n", min=1, help="The most to list.")] = PAGE_NODES,
    *,
    as_json: JsonOption = False,
) -> None:
    """List rejected entries with their reasons, oldest first; with --json also their data."""
    with _redis() as redis:
        found = list(refusals.listed(redis, limit))
    rows = ((one.entry, one.what, f"{one.since:%Y-%m-%d %H:%M}", one.reason) for one in found)
    shown = listing("Nothing was rejected.", "entry", "what", "since", "*reason", rows=rows)
    say_list("rejected", [_as_json(one) for one in found], shown, as_json=as_json)


@stream.command("replay")
def replay(
    entries: Annotated[
        list[str] | None, Argument(metavar="ENTRY", help="The entries, as `patrol stream rejected` names them.")
    ] = None,
    *,
    everything: Annotated[bool, Option("--all", help="All rejected entries.")] = False,
) -> None:
    """Send rejected entries to their stream or task again, after the cause has been fixed."""
    if everything == bool(entries):
        raise Failure("Name the entries to replay, or give --all. See `patrol stream rejected`.")
    with _redis() as redis:
        wanted = (
            list(islice(refusals.listed(redis), redis.xlen(refusals.STREAM))) if everything else _named(redis, entries)
        )
        replayed = sum(refusals.replay(redis, one) for one in wanted if one.whole)
    say(f"{count(replayed, 'entry')} sent again.")
    if cut := sum(not one.whole for one in wanted):
        raise Failure(
            f"{count(cut, 'entry')} can't be sent again: not all is kept of more than {refusals.LONGEST} bytes, and"
            " nothing of what is off the record."
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
def _redis(settings: Settings | None = None) -> Iterator[Redis]:
    with open_redis(addresses(settings or quiet_settings()).redis_url, socket_timeout=TIMEOUT_SECONDS) as redis:
        yield redis
