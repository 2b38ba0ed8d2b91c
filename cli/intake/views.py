"""How notes and messages are shown, and what became of messages that were retracted, restored or erased."""

from collections.abc import Iterable, Iterator
from typing import Any

from rich.table import Table

from cli.console.output import count, day, moment, remark, short, table, words
from schemas.facts.fact_answers import Erased
from schemas.intake.notes import Note, NotePage
from schemas.talk.messages import Message, MessagePage, RetractedMessage, RetractedPage
from schemas.talk.retraction import Rebuilds, Restored, Retracted

OPENING_CHARACTERS = 200
MARKS = {"parse_failed": "[PARSE_FAILED]", "embed_failed": "[EMBED_FAILED]"}


def listed_notes(page: NotePage) -> list[Any]:
    """Show notes with what became of them."""
    shown = table("note", "type", "state", "received", "*content")
    for note in page.notes:
        content = note.content if isinstance(note.content, str) else note.content.get("action", "")
        text = f"{words(content[:OPENING_CHARACTERS])}{f' ({words(note.reason)})' if note.reason else ''}"
        shown.add_row(short(note.note_id), note.type, note.state, day(note.received_at), text)
    return [shown if page.notes else "There are no notes."]


def kept_notes(page: NotePage) -> Iterator[Any]:
    """Show todos, reminders and knowledge notes."""
    if not page.notes:
        remark("This Being has no todos, reminders or knowledge notes.")
        return
    shown = table("note", "type", "due", "read", "*says")
    for note in page.notes:
        text = ": ".join(filter(None, (note.title, str(note.content))))
        shown.add_row(str(note.note_id), note.type, day(note.due_at), day(note.read_at), words(text))
    yield shown


def failed_notes(page: NotePage) -> Iterator[Any]:
    """Show failed notes, and why they failed."""
    if not page.notes:
        remark("No note has failed.")
        return
    shown = table("note", "*why", "*content")
    for note in page.notes:
        shown.add_row(str(note.note_id), words(f"{MARKS[note.state]} {note.reason}"), words(str(note.content)))
    yield shown


def changed_note(note: Note) -> str:
    """Show what a note says."""
    return words(str(note.content))


def listed_messages(page: MessagePage) -> list[Any]:
    """Show the messages of a session."""
    rows = [(short(one.message_id), moment(one.created_at), one) for one in page.messages]
    return [_table_of("at", rows) if rows else "There are no messages."]


def retracted_messages(page: RetractedPage) -> list[Any]:
    """Show retracted messages, with whole ids: `patrol messages restore` takes no abbreviation."""
    rows = [(str(one.message_id), moment(one.retracted_at), one) for one in page.messages]
    return [_table_of("retracted", rows) if rows else "There are no retracted messages."]


def retracted(done: Retracted) -> Iterator[Any]:
    """Show how many messages were retracted, and what is derived again."""
    yield f"{count(done.retracted, 'message')} retracted. {_told(done.rebuilds)}"
    _remark("retracted before, or erased", done.unchanged)
    _remark("not here yet, retracted when they arrive", done.awaited)


def restored(done: Restored) -> Iterator[Any]:
    """Show how many messages stand again, and what is derived again."""
    yield f"{count(done.restored, 'message')} restored. {_told(done.rebuilds)}"
    _remark("stood already", done.unchanged)
    _remark("will stand when they arrive", done.no_longer_awaited)
    _remark("unknown", len(done.unknown))
    _remark("not restored, since another version stands", len(done.conflicts))


def erased(done: Erased) -> list[Any]:
    """Show what went with erased messages."""
    gone = f"{count(len(done.facts_removed), 'fact')}, {count(len(done.todos_removed), 'todo')} and"
    gone = f"{gone} {count(done.scenes, 'scene')}"
    back = f"{count(len(done.facts_changed), 'fact')} changed, {count(len(done.todos_reopened), 'todo')} open again"
    return [f"Erased. {gone} went with it; {back}."]


def _table_of(when: str, rows: Iterable[tuple[str, str, Message | RetractedMessage]]) -> Table:
    """A table of messages, each with its id and a time as they are shown; `when` is the heading of the times."""
    shown = table("message", when, "who", "*content")
    for message_id, at, message in rows:
        shown.add_row(message_id, at, words(message.speaker) or message.role, words(message.content))
    return shown


def _told(rebuilds: Rebuilds) -> str:
    parts = [
        count(rebuilds.messages, "message") + " to judge" if rebuilds.messages else "",
        count(rebuilds.scenes, "scene") if rebuilds.scenes else "",
        count(rebuilds.summaries, "session") + " to summarise" if rebuilds.summaries else "",
        "the rolling summary" if rebuilds.rolling_summary else "",
        "the spine" if rebuilds.spine else "",
    ]
    return f"To derive again: {', '.join(filter(None, parts)) or 'nothing'}."


def _remark(what: str, number: int) -> None:
    if number:
        remark(f"{number} {what}")
