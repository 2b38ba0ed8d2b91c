"""`patrol messages list`: what was said, page by page; and the whole of `patrol notes` and `patrol messages`."""

from typing import Annotated

from typer import Option

from cli.console.ledger import find_being, only, opened
from cli.console.options import BeingOption, CursorOption, JsonOption, LimitOption, OwnerOption
from cli.console.output import moment, say_answer, short, table, words
from cli.intake import confidences as _confidences  # noqa: F401  # adds its commands to `messages`
from cli.intake import failed_notes as _failed_notes  # noqa: F401  # adds its commands to `notes`
from cli.intake.intake import messages, notes
from memory.nodes.browsing import retracted_page, said_in, session_page
from memory.search.id_endings import find_by_ending
from schemas.limits import PAGE_NODES
from schemas.talk.messages import MessagePage

__all__ = ["messages", "notes"]


@messages.command("list")
def list_messages(
    being: BeingOption = None,
    owner: OwnerOption = None,
    session: Annotated[
        str | None, Option(metavar="SESSION", help="The session: its id, or the end of it.", show_default="the last")
    ] = None,
    limit: LimitOption = PAGE_NODES,
    cursor: CursorOption = None,
    *,
    retracted: Annotated[
        bool, Option("--retracted", help="List retracted messages, of all sessions, newest first.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the messages of a session, oldest first. `patrol sessions list` lists the sessions."""
    if retracted:
        return _list_retracted(being, owner, limit, cursor, as_json=as_json)
    with opened() as on:
        target = find_being(on, being, owner)
        if session is None:
            sessions = [
                one.session_id for one in session_page(on.store, target.being_id, cursor=None, limit=1).sessions
            ]
        else:
            found = find_by_ending(on.store, target, "session", session)
            sessions = [only(session, found, "session", "patrol sessions list")]
        page = MessagePage(messages=[], cursor=None)
        for session_id in sessions:
            page = said_in(on.store, target.being_id, session_id, muted=True, cursor=cursor, limit=limit)
    shown = table("message", "at", "who", "*content")
    for message in page.messages:
        who = words(message.speaker) or message.role
        shown.add_row(short(message.message_id), moment(message.created_at), who, words(message.content))
    return say_answer(page, shown if page.messages else "There are no messages.", as_json=as_json)


def _list_retracted(being: str | None, owner: str | None, limit: int, cursor: str | None, *, as_json: bool) -> None:
    with opened() as on:
        being_id = find_being(on, being, owner).being_id
        page = retracted_page(on.store, being_id, conversation=None, cursor=cursor, limit=limit)
    shown = table("message", "retracted", "who", "*content")
    for message in page.messages:
        who = words(message.speaker) or message.role
        # Whole: `patrol messages restore` takes no abbreviation.
        shown.add_row(str(message.message_id), moment(message.retracted_at), who, words(message.content))
    say_answer(page, shown if page.messages else "There are no retracted messages.", as_json=as_json)
