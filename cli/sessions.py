"""`patrol sessions`: conversations, what they came to, and how a user and a Being stand."""

from collections.abc import Iterable
from typing import Annotated
from uuid import UUID

from rich.text import Text
from typer import Argument, Typer

from cli.ledger import find_being, only, opened
from cli.options import BeingOption, CursorOption, JsonOption, LimitOption, OwnerOption
from cli.output import moment, remark, say, say_json, say_page, short, table, words
from memory import browsing, conversation
from schemas.limits import PAGE_NODES
from schemas.rows import Being
from schemas.summaries import SessionSummary, SummarySpine
from store import session_summaries
from workers.resources import Resources

sessions = Typer(help="Conversations, and what they came to.", no_args_is_help=True)


@sessions.command("list")
def list_sessions(
    being: BeingOption = None,
    owner: OwnerOption = None,
    limit: LimitOption = PAGE_NODES,
    cursor: CursorOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List conversations, the one opened last first."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        page = browsing.session_page(on.store, whose.being_id, cursor=cursor, limit=limit)
    shown = table("session", "began", "ended", ">turns")
    for session in page.sessions:
        row = (short(session.session_id), moment(session.started_at), moment(session.ended_at), session.turn_count)
        shown.add_row(*map(str, row))
    say_page(page, shown, as_json=as_json)


@sessions.command("show")
def show(
    session: Annotated[str, Argument(metavar="SESSION", help="The conversation: its id, or the end of it.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Show what a conversation came to."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        found = conversation.session(on.store, whose.being_id, _find(on, whose, session))
    if as_json:
        return say_json(found)
    if found.summary is None:
        return remark("It is not summed up: it goes on, or nobody can think for its user (patrol key add).")
    return say(*_outlined(found.summary, SessionSummary.model_fields))


@sessions.command("state")
def state(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Show what goes on from conversation to conversation, the rolling summary first."""
    with opened() as on:
        found = conversation.state(on.store, find_being(on.store, being, owner).being_id)
    if as_json:
        return say_json(found)
    told = found.state
    if found.rolling_summary:
        say(Text(words(found.rolling_summary)), "")
    say(f"{told.message_count} messages, the last {moment(told.last_interaction) or 'never'}")
    if told.last_rolling_error:
        remark(f"The last rolling summary: {told.last_rolling_error.reason}: {told.last_rolling_error.detail}")
    return None


@sessions.command("spine")
def spine(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Show the long line of what the user has told, to this Being and to others."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        page = conversation.spine_page(on.store, whose, before=None, limit=1)
    if as_json:
        return say_json(page)
    if not page.versions:
        return remark("There is none yet: it is written with every twenty messages, and it takes a key.")
    return say(*_outlined(page.versions[0].content, SummarySpine.model_fields))


def _outlined(summary: SessionSummary | SummarySpine, names: Iterable[str]) -> list[Text | str]:
    """Each part of a summary under its name, what is empty left away."""
    lines: list[Text | str] = []
    for name in names:
        value = getattr(summary, name)
        told = [value] if isinstance(value, str) else value
        if told:
            lines += [Text(name.replace("_", " ").capitalize(), style="bold"), *(f"  {words(line)}" for line in told)]
    return lines


def _find(on: Resources, being: Being, name: str) -> UUID:
    with on.store.transaction() as tx:
        found = session_summaries.named(tx, being.being_id, name)
    return only(name, found, "session", "patrol sessions list")
