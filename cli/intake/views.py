"""Views of notes and messages, and of the results of a retraction, restoration or erasure of messages."""

from collections.abc import Iterator
from typing import Any

from cli.console.output import count, listing, moment, remark, short, words
from schemas.facts.fact_answers import ErasureCounts
from schemas.intake.notes import Note, NotePage
from schemas.talk.messages import Message, MessagePage, RetractedMessage, RetractedPage
from schemas.talk.retraction import Rebuilds, RestorationOutcome, RetractionOutcome

OPENING_CHARACTERS = 200
MARKS = {"parse_failed": "[PARSE_FAILED]", "embed_failed": "[EMBED_FAILED]"}


def listed_notes(page: NotePage) -> list[Any]:
    """Show notes with their states."""
    rows = []
    for note in page.notes:
        content = note.content if isinstance(note.content, str) else note.content.get("action", "")
        text = f"{content[:OPENING_CHARACTERS]}{f' ({note.reason})' if note.reason else ''}"
        rows.append((short(note.note_id), note.type, note.state, note.received_at, text))
    return [listing("There are no notes.", "note", "type", "state", "received", "*content", rows=rows)]


def kept_notes(page: NotePage) -> list[Any]:
    """Show todos, reminders and knowledge notes."""
    rows = (
        (one.note_id, one.type, one.due_at, one.read_at, ": ".join(filter(None, (one.title, str(one.content)))))
        for one in page.notes
    )
    none = "This Being has no todos, reminders or knowledge notes."
    return [listing(none, "note", "type", "due", "read", "*says", rows=rows)]


def failed_notes(page: NotePage) -> list[Any]:
    """Show failed notes, and why they failed."""
    rows = ((one.note_id, f"{MARKS[one.state]} {one.reason}", one.content) for one in page.notes)
    return [listing("No note has failed.", "note", "*why", "*content", rows=rows)]


def changed_note(note: Note) -> str:
    """Show a note's content."""
    return words(str(note.content))


def listed_messages(page: MessagePage) -> list[Any]:
    """Show the messages of a session."""
    rows = ((short(one.message_id), moment(one.created_at), *_line(one)) for one in page.messages)
    return [listing("There are no messages.", "message", "at", "who", "*content", rows=rows)]


def retracted_messages(page: RetractedPage) -> list[Any]:
    """Show retracted messages, with whole ids: `patrol messages restore` takes no abbreviation."""
    rows = ((one.message_id, moment(one.retracted_at), *_line(one)) for one in page.messages)
    return [listing("There are no retracted messages.", "message", "retracted", "who", "*content", rows=rows)]


def retracted(done: RetractionOutcome) -> Iterator[Any]:
    """Show how many messages were retracted, and the data that is derived again."""
    yield f"{count(done.retracted, 'message')} retracted. {_rebuilds_text(done.rebuilds)}"
    _remark("retracted before, or erased", done.unchanged)
    _remark("not here yet, retracted when they arrive", done.awaited)


def restored(done: RestorationOutcome) -> Iterator[Any]:
    """Show how many messages stand again, and the data that is derived again."""
    yield f"{count(done.restored, 'message')} restored. {_rebuilds_text(done.rebuilds)}"
    _remark("stood already", done.unchanged)
    _remark("will stand when they arrive", done.no_longer_awaited)
    _remark("unknown", len(done.unknown))
    _remark("not restored, since another version is current", len(done.conflicts))


def erased(done: ErasureCounts) -> list[Any]:
    """Show the data that went with erased messages."""
    gone = f"{count(len(done.facts_removed), 'fact')}, {count(len(done.todos_removed), 'todo')} and"
    gone = f"{gone} {count(done.scenes, 'scene')}"
    back = f"{count(len(done.facts_changed), 'fact')} changed, {count(len(done.todos_reopened), 'todo')} open again"
    return [f"Erased. {gone} went with it; {back}."]


def _line(message: Message | RetractedMessage) -> tuple[str, str]:
    return message.speaker or message.role, message.content


def _rebuilds_text(rebuilds: Rebuilds) -> str:
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
