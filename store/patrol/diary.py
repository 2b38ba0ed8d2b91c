"""The diary: one entry for each day of the user's calendar."""

from datetime import date, timedelta
from uuid import UUID

from schemas.patrol.runs import DiaryEntry
from store.transaction import Transaction


def on_day(tx: Transaction, being_id: UUID, day: date) -> DiaryEntry | None:
    """The diary's page of a day, unless it is muted."""
    return tx.row(DiaryEntry, "select * from memory.tellable_diary where being_id = %s and day = %s", [being_id, day])


def newest(
    tx: Transaction, being_id: UUID, *, limit: int, before: date | None = None, muted: bool = True
) -> list[DiaryEntry]:
    """The newest entries, newest first, optionally of days before one; muted ones with `muted`."""
    return tx.rows(
        DiaryEntry,
        """
        select *
        from memory.diary
        where being_id = %(being)s and (%(before)s::date is null or day < %(before)s)
            and (
                %(muted)s
                or not memory.is_muted(being_id, 'diary', memory.search_id(to_char(day, 'YYYYMMDD')))
            )
        order by day desc
        limit %(limit)s
        """,
        {"being": being_id, "before": before, "limit": limit, "muted": muted},
    )


def write(tx: Transaction, being_id: UUID, day: date, text: str, *, run_id: UUID, last_node_id: UUID) -> None:
    """Write the entry of a day, in place of an earlier text."""
    tx.execute(
        "insert into memory.diary (being_id, day, text, run_id, last_node_id) values (%s, %s, %s, %s, %s)"
        " on conflict (being_id, day) do update set text = excluded.text, run_id = excluded.run_id,"
        " last_node_id = excluded.last_node_id, written_at = excluded.written_at",
        [being_id, day, text, run_id, last_node_id],
    )


def today(tx: Transaction, being_id: UUID, run_id: UUID) -> date:
    """The day of a run's `as_of` in the calendar of the Being's user."""
    return tx.value(
        "select (r.as_of at time zone u.time_zone)::date from memory.patrol_runs as r"
        " join memory.beings using (being_id) join memory.users as u using (user_id)"
        " where r.being_id = %s and r.run_id = %s",
        [being_id, run_id],
    )


def due(tx: Transaction, being_id: UUID, every: timedelta) -> bool:
    """Whether the newest entry was written at least `every` ago, or there is none."""
    return not tx.exists(
        "select from memory.diary where being_id = %s and written_at > memory.now() - %s", [being_id, every]
    )
