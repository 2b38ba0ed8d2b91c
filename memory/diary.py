"""The diary, and what a Being wants to have in mind next time (patrol seed, "Diary + think_md generation")."""

from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from memory.fences import fenced, unfenced
from memory.prompting import about, prompt
from memory.showing import lines
from memory.thinking import Mind
from providers.errors import BadAnswer
from schemas.answers import DiaryAnswer
from schemas.patrol_answers import DiaryPages
from schemas.rows import Being, DiaryEntry, ShownNode, Soul
from schemas.settings import Settings
from store import consolidation, diary, runs, souls, users
from store.database import Store
from store.transaction import Transaction

DIARY = prompt("diary", DiaryPages, size="large", most_tokens=2_000)
LINES = (3, 5)
NOTES = (3, 7)
LINE_CHARACTERS = 500
# Of a day with more, what weighs most is told.
MOST_TOLD = 40
MOST_READ = 200
NOTHING_NEW = {"outcome": "skipped", "reason": "no new memories"}


@dataclass(frozen=True)
class Day:
    """What there is to tell of a day: what happened since the last entry, and what it says so far."""

    day: date
    being: Being
    soul: Soul
    earlier: DiaryEntry | None
    memories: list[ShownNode]


def day_of(tx: Transaction, being_id: UUID, run_id: UUID) -> Day:
    """The day of a run, with what the Being has come to remember since it last wrote."""
    day = diary.today(tx, being_id, run_id)
    newest = diary.newest(tx, being_id, limit=1)
    memories = consolidation.born_since(tx, being_id, newest[0].told_to if newest else None, MOST_READ)
    return Day(day, users.get_being(tx, being_id), souls.get(tx, being_id), diary.on_day(tx, being_id, day), memories)


def material(day: Day) -> str:
    """A day as a model is shown it."""
    weightiest = sorted(day.memories, key=lambda node: node.importance, reverse=True)[:MOST_TOLD]
    told = [node for node in day.memories if node in weightiest]
    return "\n".join(
        [
            f"<day>{day.day}</day>",
            *([fenced("earlier", day.earlier.text)] if day.earlier else []),
            *([fenced("noted", day.soul.think_md)] if day.soul.think_md else []),
            lines(told),
        ]
    )


def check(answer: DiaryPages) -> None:
    """Hold pages against their measure.

    Raises:
        BadAnswer: There are too few or too many lines, or one is empty or too long.
    """
    for name, texts, (least, most) in (("diary", answer.diary, LINES), ("next_time", answer.next_time, NOTES)):
        if not least <= len(texts) <= most:
            raise BadAnswer(f"{name} has {len(texts)} lines, and should have {least} to {most}.")
        if not all(0 < len(_line(text)) <= LINE_CHARACTERS for text in texts):
            raise BadAnswer(f"{name} has a line that is empty, or longer than {LINE_CHARACTERS} characters.")


def to_tell(tx: Transaction, settings: Settings, being_id: UUID, run_id: UUID) -> Day | dict[str, Any]:
    """The day that a run is to write of; or why it writes nothing, as its report.

    A run that was demanded writes whenever it had scenes; another only if the last entry is old enough.
    """
    run = runs.get(tx, being_id, run_id)
    if not run.steps["embed"]["nodes"]:
        return NOTHING_NEW
    if not run.demanded and not diary.due(tx, being_id, settings.diary_every):
        return {"outcome": "not due"}
    day = day_of(tx, being_id, run_id)
    # What came in with this run may be forgotten by now.
    return day if day.memories else NOTHING_NEW


def written(mind: Mind, day: Day) -> "Written":
    """Write the day's pages.

    Raises:
        ProviderError: A model is out of reach, or said nothing usable.
        BudgetSpent: Nothing can be asked today.
    """
    answered = mind.ask(DIARY.question(about(day.being, day.soul), material(day)), check)
    return Written(day, answered.answer)


@dataclass(frozen=True)
class Written:
    """A day, and its pages."""

    day: Day
    pages: DiaryPages

    def apply(self, tx: Transaction, run_id: UUID) -> dict[str, Any]:
        """Put them into the diary and the soul, in the transaction that ends the run; returns the report."""
        being_id = self.day.being.being_id
        if len(consolidation.named(tx, being_id, [node.node_id for node in self.day.memories])) < len(
            self.day.memories
        ):
            return {"outcome": "skipped", "reason": "what there was to tell has been erased meanwhile"}
        # It goes with a memory that was told of before.
        if (
            diary.on_day(tx, being_id, self.day.day) != self.day.earlier
            or souls.get(tx, being_id).think_md != self.day.soul.think_md
        ):
            return {"outcome": "skipped", "reason": "what this goes on from has changed meanwhile"}
        text = "\n".join(map(_line, self.pages.diary))
        diary.write(tx, being_id, self.day.day, text, run_id=run_id, told_to=self.day.memories[-1].node_id)
        souls.think(tx, being_id, "\n".join(f"- {_line(note)}" for note in self.pages.next_time))
        return {"lines": len(self.pages.diary), "notes": len(self.pages.next_time)}


def diary_page(store: Store, being_id: UUID, *, before: date | None, limit: int) -> DiaryAnswer:
    """A Being's newest entries, those of days before one where it is said; and what it wants to have in mind."""
    with store.transaction() as tx:
        entries = diary.newest(tx, being_id, before=before, limit=limit)
        return DiaryAnswer(entries=entries, think_md=souls.get(tx, being_id).think_md)


def _line(text: str) -> str:
    return " ".join(unfenced(text).split()).removeprefix("- ")
