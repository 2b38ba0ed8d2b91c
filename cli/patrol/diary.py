"""`patrol diary`: a Being's entries about its days."""

from rich.text import Text

from cli.console.declared import Group
from cli.console.output import remark, words
from memory.llm import keys
from operations.patrol import diary as operations
from schemas.accounts.accounts import Being
from schemas.patrol.runs import DiaryPage
from workers.runtime.resources import Resources

AFTER_SCENES = (
    "A patrol writes a page after it has processed scenes: hand some in, or talk to the Being; they are drawn half "
    "an hour after the last message."
)
TAKES_A_KEY = "Patrols write the diary, and it takes a key: patrol key add."


def diary_view(page: DiaryPage) -> list[Text | str]:
    """Entries for a reader, and the notes for next time below them."""
    lines: list[Text | str] = []
    for entry in page.entries:
        lines += [Text(str(entry.day), style="bold"), *_indented(entry.text), ""]
    if page.think_md:
        lines += [Text("For next time", style="bold"), *_indented(page.think_md)]
    return lines


def _indented(text: str) -> list[Text | str]:
    return [Text(f"  {words(line)}", style="italic cyan") for line in text.splitlines()]


def _pages(page: DiaryPage, on: Resources, being: Being) -> list[Text | str]:
    if page.entries:
        return diary_view(page)
    thinks = keys.may_think(on.store, being.being_id, platform=on.thinkers.has_platform())
    remark(f"Nothing is written. {AFTER_SCENES if thinks else TAKES_A_KEY}")
    return []


diary = Group(operations, "The diary.", views_of_beings={DiaryPage: _pages})["diary"]
