"""`patrol sessions`: sessions, their summaries, the session state, and the spine."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

from rich.text import Text

from cli.console.declared import Group, by_ending
from cli.console.output import moment, remark, short, table, words
from memory.context.elapsed_time import in_words
from operations.talk import sessions as operations
from schemas.talk.messages import SessionPage
from schemas.talk.summaries import SessionDetail, SessionState, SessionSummary, SpinePage, SummarySpine


def _page(page: SessionPage) -> list[Any]:
    rows = []
    for session in page.sessions:
        pause = "–" if session.pause is None else in_words(timedelta(seconds=session.pause))
        times = moment(session.started_at), moment(session.ended_at)
        rows.append((short(session.session_id), *times, session.turn_count, pause))
    return [table("session", "began", "ended", ">turns", "pause before", rows=rows)]


def _session(found: SessionDetail) -> list[Any]:
    if found.summary is None:
        remark("The session has no summary yet: it is open, or its user has no model key (patrol key add).")
        return []
    return _outlined(found.summary, SessionSummary.model_fields)


def _state(found: SessionState) -> Iterator[Any]:
    state = found.state
    if found.rolling_summary:
        yield Text(words(found.rolling_summary))
        yield ""
    yield f"{state.message_count} messages, the last {moment(state.last_interaction) or 'never'}"
    if state.last_rolling_error:
        remark(f"The last rolling summary: {state.last_rolling_error.reason}: {state.last_rolling_error.detail}")


def _spine(page: SpinePage) -> list[Any]:
    if not page.versions:
        remark("There is no spine yet: it is written every 20 messages, and needs a model key.")
        return []
    return _outlined(page.versions[0].content, SummarySpine.model_fields)


def _outlined(summary: SessionSummary | SummarySpine, names: Iterable[str]) -> list[Text | str]:
    """Each non-empty part of a summary under its name."""
    lines: list[Text | str] = []
    for name in names:
        value = getattr(summary, name)
        parts = [value] if isinstance(value, str) else value
        if parts:
            lines += [Text(name.replace("_", " ").capitalize(), style="bold"), *(f"  {words(line)}" for line in parts)]
    return lines


sessions = Group(
    operations,
    "Sessions and their summaries.",
    finders={"session_id": by_ending("session", "patrol sessions list")},
    views={SessionPage: _page, SessionDetail: _session, SessionState: _state, SpinePage: _spine},
).commands
