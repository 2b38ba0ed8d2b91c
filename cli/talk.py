"""`patrol sessions`: sessions, their summaries, the session state, and the spine."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Annotated
from uuid import UUID

from rich.text import Text
from typer import Argument, Typer

from cli.console.ledger import find_being, only, opened
from cli.console.options import BeingOption, CursorOption, JsonOption, LimitOption, OwnerOption
from cli.console.output import moment, remark, say, say_json, say_page, short, table, words
from memory.context.elapsed_time import in_words
from memory.nodes import browsing
from memory.talk import sessions as conversation
from schemas.accounts.accounts import Being
from schemas.limits import PAGE_NODES
from schemas.talk.summaries import SessionSummary, SummarySpine
from workers.runtime.resources import Resources

sessions = Typer(help="Sessions and their summaries.", no_args_is_help=True)


@sessions.command("list")
def list_sessions(
    being: BeingOption = None,
    owner: OwnerOption = None,
    limit: LimitOption = PAGE_NODES,
    cursor: CursorOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List sessions, the one opened last first."""
    with opened() as on:
        target = find_being(on, being, owner)
        page = browsing.session_page(on.store, target.being_id, cursor=cursor, limit=limit)
    shown = table("session", "began", "ended", ">turns", "pause before")
    for session in page.sessions:
        pause = "–" if session.pause is None else in_words(timedelta(seconds=session.pause))
        times = moment(session.started_at), moment(session.ended_at)
        shown.add_row(short(session.session_id), *times, str(session.turn_count), pause)
    say_page(page, shown, as_json=as_json)


@sessions.command("show")
def show(
    session: Annotated[str, Argument(metavar="SESSION", help="The session: its id, or the end of it.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Show the summary of a session."""
    with opened() as on:
        target = find_being(on, being, owner)
        found = conversation.session(on.store, target.being_id, _find(on, target, session))
    if as_json:
        return say_json(found)
    if found.summary is None:
        return remark("The session has no summary yet: it is open, or its user has no model key (patrol key add).")
    return say(*_outlined(found.summary, SessionSummary.model_fields))


@sessions.command("state")
def state(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Show the state that survives sessions, the rolling summary first."""
    with opened() as on:
        found = conversation.state(on.store, find_being(on, being, owner).being_id)
    if as_json:
        return say_json(found)
    state = found.state
    if found.rolling_summary:
        say(Text(words(found.rolling_summary)), "")
    say(f"{state.message_count} messages, the last {moment(state.last_interaction) or 'never'}")
    if state.last_rolling_error:
        remark(f"The last rolling summary: {state.last_rolling_error.reason}: {state.last_rolling_error.detail}")
    return None


@sessions.command("spine")
def spine(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Show the spine: the long-term summary of what the user has told this and other Beings."""
    with opened() as on:
        target = find_being(on, being, owner)
        page = conversation.spine_page(on.store, target, cursor=None, limit=1)
    if as_json:
        return say_json(page)
    if not page.versions:
        return remark("There is no spine yet: it is written every 20 messages, and needs a model key.")
    return say(*_outlined(page.versions[0].content, SummarySpine.model_fields))


def _outlined(summary: SessionSummary | SummarySpine, names: Iterable[str]) -> list[Text | str]:
    """Each non-empty part of a summary under its name."""
    lines: list[Text | str] = []
    for name in names:
        value = getattr(summary, name)
        parts = [value] if isinstance(value, str) else value
        if parts:
            lines += [Text(name.replace("_", " ").capitalize(), style="bold"), *(f"  {words(line)}" for line in parts)]
    return lines


def _find(on: Resources, being: Being, name: str) -> UUID:
    return only(name, conversation.named(on.store, being.being_id, name), "session", "patrol sessions list")
