"""Writes the diary entry and the notes for the next conversation (patrol seed, "Diary + think_md generation")."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from memory.grounding import setting
from memory.grounding.setting import Setting
from memory.llm.portions import ask_in_turn
from memory.llm.prompting import prompt, whole_persona
from memory.llm.session import LlmSession
from memory.nodes.prompt_rendering import lines
from memory.text.prompt_escaping import tagged, unescaped
from providers.errors import BadAnswer
from schemas.accounts.accounts import Being
from schemas.context.persona import PersonaEntry, Soul
from schemas.intake.inputs import last_date
from schemas.limits import DIARY_LINE_CHARACTERS
from schemas.nodes.nodes import ShownNode
from schemas.patrol.model_answers import DiaryPages
from schemas.patrol.runs import DiaryEntry, Run
from store.accounts import beings
from store.context import persona, souls
from store.patrol import consolidation, diary, runs
from store.transaction import Transaction

DIARY = prompt("diary", DiaryPages, size="large", most_tokens=2_000)
LEAST_LINES = 3
# The least time between two entries of automatic patrols.
DIARY_EVERY = timedelta(hours=4)
# Of more nodes, the most important are shown to the model.
MOST_TOLD = 40
MOST_READ = 200
# Imported scenes, and those of old talk, that were last dated so long before the day are not the day's.
LONG_PAST = timedelta(days=14)
NOTHING_NEW = {"outcome": "skipped", "reason": "no new memories"}


@dataclass(frozen=True)
class DiaryDay:
    """The input of a day's entry: nodes created since the last entry, and the day's text so far.

    Nodes of long past events, as of an import, are no part of the day. `last_node_id` is the newest of all.
    Of the nodes, the `most_told` most important ones are shown to the model.
    """

    day: date
    being: Being
    soul: Soul
    earlier: DiaryEntry | None
    memories: list[ShownNode]
    relationships: Sequence[PersonaEntry] = ()
    setting: Setting = field(default_factory=Setting)
    last_node_id: UUID | None = None
    most_told: int = MOST_TOLD

    def smaller(self) -> list["DiaryDay"]:
        """The day with the more important half of the memories that the model is shown, if there are several."""
        fewer = min(self.most_told, len(self.memories)) // 2
        return [replace(self, most_told=fewer)] if fewer else []


def day_of(tx: Transaction, being_id: UUID, run_id: UUID) -> DiaryDay:
    """Read the day of a run, with the nodes created since the last entry."""
    day = diary.today(tx, being_id, run_id)
    newest = diary.newest(tx, being_id, limit=1, muted=False)
    born = consolidation.born_since(tx, being_id, newest[0].last_node_id if newest else None, MOST_READ)
    later = consolidation.handed_in_later(tx, being_id, [node.node_id for node in born])
    memories = [
        node for node in born if node.node_id not in later or (last_date(node.scene["when"]) or day) > day - LONG_PAST
    ]
    being = beings.get_being(tx, being_id)
    return DiaryDay(
        day,
        being,
        souls.get(tx, being_id),
        diary.on_day(tx, being_id, day),
        memories,
        persona.listed(tx, being_id, "relationships"),
        setting.of_being(tx, being),
        born[-1].node_id if born else None,
    )


def material(day: DiaryDay) -> str:
    """Render a day for the prompt."""
    most_important = sorted(day.memories, key=lambda node: node.importance, reverse=True)[: day.most_told]
    selected = [node for node in day.memories if node in most_important]
    return "\n".join(
        [
            f"<day>{day.day}</day>",
            *([tagged("earlier", day.earlier.text)] if day.earlier else []),
            *([tagged("noted", day.soul.think_md)] if day.soul.think_md else []),
            lines(selected),
        ]
    )


def check(answer: DiaryPages) -> None:
    """Validate the number and length of lines.

    Raises:
        BadAnswer: There are too few lines, or one is empty or too long.
    """
    faults = []
    for name, texts in (("diary", answer.diary), ("next_time", answer.next_time)):
        if len(texts) < LEAST_LINES:
            faults.append(f"{name} has {len(texts)} lines, and should have {LEAST_LINES} at least.")
        if not all(0 < len(_line(text)) <= DIARY_LINE_CHARACTERS for text in texts):
            faults.append(f"{name} has a line that is empty, or longer than {DIARY_LINE_CHARACTERS} characters.")
    if faults:
        raise BadAnswer(" ".join(faults), valid=_valid(answer))


def _valid(answer: DiaryPages) -> DiaryPages | None:
    """The lines that are neither empty nor too long, if both pages have any."""
    diary, next_time = (
        [text for text in texts if 0 < len(_line(text)) <= DIARY_LINE_CHARACTERS]
        for texts in (answer.diary, answer.next_time)
    )
    return DiaryPages(diary=diary, next_time=next_time) if diary and next_time else None


def day_to_write(tx: Transaction, run: Run) -> DiaryDay | dict[str, Any]:
    """Return the day that a run writes about, or the step's report if it writes nothing.

    A demanded run writes if it had scenes, or earlier ones could not write; an automatic one only if the last entry is
    also old enough.
    """
    if not run.steps["embed"]["nodes"] and not runs.owes_thinking(tx, run.being_id):
        return NOTHING_NEW
    if not run.demanded and not diary.due(tx, run.being_id, DIARY_EVERY):
        return {"outcome": "not due"}
    day = day_of(tx, run.being_id, run.run_id)
    # The run's own nodes may have been forgotten or erased since.
    return day if day.memories else NOTHING_NEW


def draft_diary(llm: LlmSession, day: DiaryDay) -> "DiaryDraft":
    """Ask the model for the day's pages.

    Raises:
        ProviderError: The model is unavailable, or gave no valid answer.
        BudgetSpent: The question exceeds the day's budget.
    """
    about = whole_persona(day.being, day.soul, day.relationships)
    drafts: list[DiaryDraft] = []

    def draft(shown: DiaryDay, _: bool) -> None:
        answer = llm.ask(DIARY.question(about, material(shown)), check).answer
        drafts.append(DiaryDraft(day, _grounded(llm, answer, about, shown)))

    left = ask_in_turn([day], draft, DiaryDay.smaller, only_too_long=True)
    if not drafts:
        raise left[-1][1]
    return drafts[0]


def _grounded(llm: LlmSession, pages: DiaryPages, about: str, shown: DiaryDay) -> DiaryPages:
    """The pages without diary lines that have a name or number which the day does not have; these are counted."""
    texts: list[tuple[str, datetime | None]] = [(unescaped(about), None), (unescaped(material(shown)), None)]
    ground = shown.setting.of_texts(texts, counted=max(LEAST_LINES, len(shown.memories)))
    faults = [ground.faults(_line(line)) for line in pages.diary]
    llm.count_dropped("diary", Counter(of_line[0] for of_line in faults if of_line))
    kept = [line for line, of_line in zip(pages.diary, faults, strict=True) if not of_line]
    return pages.model_copy(update={"diary": kept})


@dataclass(frozen=True)
class DiaryDraft:
    """A day and its pages, not yet stored."""

    day: DiaryDay
    pages: DiaryPages

    def apply(self, tx: Transaction, run_id: UUID) -> dict[str, Any]:
        """Store the pages in the diary and the soul, in the transaction that ends the run; returns the report."""
        being_id = self.day.being.being_id
        stand = consolidation.by_ids(tx, being_id, [node.node_id for node in self.day.memories])
        if sum(not node.muted for node in stand) < len(self.day.memories):
            return {"outcome": "skipped", "reason": "memories that the entry rests on were erased or muted meanwhile"}
        # Erasing a memory also removes entries that rest on it, and the text that this one continues.
        if (
            diary.on_day(tx, being_id, self.day.day) != self.day.earlier
            or souls.get(tx, being_id).think_md != self.day.soul.think_md
        ):
            return {
                "outcome": "skipped",
                "reason": "the text that the entry continues was changed meanwhile",
            }
        if not self.pages.diary:
            return {"outcome": "skipped", "reason": "no line of the entry stands in the memories"}
        text = "\n".join(map(_line, self.pages.diary))
        diary.write(
            tx,
            being_id,
            self.day.day,
            text,
            run_id=run_id,
            last_node_id=self.day.last_node_id or self.day.memories[-1].node_id,
        )
        souls.write_think_md(tx, being_id, "\n".join(f"- {_line(note)}" for note in self.pages.next_time))
        return {"lines": len(self.pages.diary), "notes": len(self.pages.next_time)}


def _line(text: str) -> str:
    return " ".join(unescaped(text).split()).removeprefix("- ")
