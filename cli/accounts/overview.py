"""`patrol overview`: one Being's memory on a single screen."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from cli.console.declared import Group
from cli.console.output import count, moment, table
from operations.accounts import beings
from schemas.accounts.accounts import Being
from schemas.accounts.overview import Overview
from workers.runtime.resources import Resources


def _screen(found: Overview, _: Resources, being: Being) -> list[Table]:
    shown = table("", "*", rows=((Text(name, style="bold"), text) for name, text in _lines(being, found)))
    shown.show_header = False
    return [shown]


def _lines(being: Being, found: Overview) -> Iterator[tuple[str, str]]:
    yield "Being", f"{being.name} ({being.slug}), since {being.created_at:%Y-%m-%d}"
    by_status = f"{found.nodes_active} active, {found.nodes_dying} dying, {found.nodes_dead} dead"
    yield "Memories", f"{by_status}, in {count(found.topics, 'topic')} below the roots"
    failed = f", {found.notes_failed} not readable (patrol notes list)" if found.notes_failed else ""
    yield "Notes", f"{count(found.notes_pending, 'scene note')} waiting for a patrol{failed}"
    last = f", the last {found.last_patrol} ({moment(found.last_patrol_at)})" if found.last_patrol else ""
    yield "Patrols", f"{found.patrols} counted{last}"
    last = f", the last {moment(found.last_message_at)}" if found.last_message_at else ""
    yield "Talk", f"{count(found.messages, 'message')} in {count(found.sessions, 'session')}{last}"
    if found.unread_language:
        yield "Language", f"mostly {found.unread_language}; MiniLM, which embeds it, reads English (patrol doctor)"
    waits = ""
    if found.messages_unjudged:
        why = ", which needs a model key (patrol key add)" if found.waits_for_key else ""
        waits = f"; {count(found.messages_unjudged, 'message')} waiting for extraction{why}"
    yield "Facts", f"{count(found.facts, 'fact')}, {count(found.todos, 'open todo')}{waits}"
    yield "Vault", count(found.vault_records, "record")
    yield "Diary", f"newest entry {found.diary_day}" if found.diary_day else "no entry yet"
    yield "Cost", f"{found.cost_today:.4f} dollars today"
    if found.work_dead:
        yield "Dead work", f"{count(found.work_dead, 'unit')}: see `patrol work list`"


overview = Group(beings, "Beings.", views_of_beings={Overview: _screen})["overview"]
