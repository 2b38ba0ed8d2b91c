"""The view of a memory's story."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rich.table import Table
from rich.text import Text

from cli.console.output import count, day, short, status, words
from schemas.intake.notes import Note
from schemas.nodes.nodes import HistoryEvent, NodeStory

PHRASES = {
    "born": "became a memory, importance {importance:.2f}",
    "assigned": "found its place in {to}",
    "moved": "moved from {from} to {to}",
    "dying": "began to fade, {session_count} after its last recall",
    "active again": "came back to life, having been {from}",
    "absorbed": "was absorbed by {into}",
    "took in": "took in {absorbed}",
    "weighed": "weighs {to:.2f} now, having weighed {from:.2f}",
    "dead": "died",
}
REFERENCES = {"from", "to", "absorbed"}


def story_view(story: NodeStory, names: Mapping[UUID, str]) -> list[Text | Table]:
    """A story for a reader: the memory's words, its state, and line by line its history."""
    node = story.node
    standing = Text.assemble(
        status(node),
        f", weighs {node.effective_importance:.2f} of {node.importance:.2f}",
        f" after {count(node.session_count, 'patrol')}",
        f", has {count(max(node.patrols_left, 0), 'patrol')} left" if node.patrols_left is not None else "",
        f"; found {count(node.reactivation_count, 'time')}, last on {day(node.last_activated)}"
        if node.last_activated
        else "",
        f"; lives on in {short(story.final_survivor)}" if story.final_survivor else "",
        f"  ({node.node_id})",
        style="dim",
    )
    lines = Table.grid(padding=(0, 2))
    lines.add_column(no_wrap=True, style="dim")
    lines.add_column()
    if story.note:
        lines.add_row(day(story.note.received_at), _handed_in(story.note))
    for message in story.messages:
        by = words(message.speaker) if message.speaker else message.role
        lines.add_row(day(message.created_at), Text(f"{by}: {words(message.content)}", style="italic"))
    names = {**names, **{other.node_id: other.scene["action"] for other in story.absorbed}}
    for event in story.history:
        lines.add_row(day(event.happened_at), Text.assemble(_phrase(event, names), (_decided(event), "dim")))
    return [Text(words(story.text), style="bold"), standing, lines]


def _handed_in(note: Note) -> str:
    if note.origin == "talk":
        return "drawn from talk"
    called = f" as {words(note.producer_id)}" if note.producer_id else ""
    return f"handed in{called}"


def _phrase(event: HistoryEvent, names: Mapping[UUID, str]) -> str:
    detail = {name: _named(value, names) if name in REFERENCES else value for name, value in event.detail.items()}
    if "session_count" in detail:
        detail["session_count"] = count(detail["session_count"], "patrol")
    return PHRASES.get(event.event, f"was {event.event}").format_map(detail)


def _decided(event: HistoryEvent) -> str:
    """The id of the stored response of a model, for an event that a model decided."""
    return f"  as a model said ({event.detail['response_id']})" if "response_id" in event.detail else ""


def _named(value: Any, names: Mapping[UUID, str]) -> Any:
    """The words for the id of a cluster or of an absorbed memory: its name, or its text."""
    try:
        return f"“{words(names[UUID(value)])}”"
    except (TypeError, ValueError, AttributeError, KeyError):
        return value
