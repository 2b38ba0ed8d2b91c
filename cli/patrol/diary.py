"""`patrol diary`: what a Being wrote of its days."""

from typing import Annotated

from rich.text import Text
from typer import Option

from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, CursorOption, JsonOption, OwnerOption
from cli.console.output import remark, say_page, words
from memory.llm import keys
from operations.patrol.diary import read_diary
from schemas.limits import DIARY_DAYS, LONGEST_PAGE
from schemas.patrol.runs import DiaryPage

AFTER_SCENES = (
    "A patrol writes a page after it has processed scenes: hand some in, or talk to the Being; they are drawn half "
    "an hour after the last message."
)
TAKES_A_KEY = "Patrols write the diary, and it takes a key: patrol key add."


def diary(
    being: BeingOption = None,
    owner: OwnerOption = None,
    limit: Annotated[int, Option("--limit", "-n", min=1, max=LONGEST_PAGE, help="How many days at most.")] = DIARY_DAYS,
    cursor: CursorOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Read a Being's diary, newest day first, and what it wants to have in mind next time."""
    with opened() as on:
        target = find_being(on, being, owner)
        page = read_diary.perform(on, being=target, cursor=cursor, limit=limit)
        thinks = keys.may_think(on.store, target.being_id, platform=on.thinkers.has_platform())
    if page.entries or as_json:
        say_page(page, *told(page), as_json=as_json)
    else:
        remark(f"Nothing is written. {AFTER_SCENES if thinks else TAKES_A_KEY}")


def told(page: DiaryPage) -> list[Text | str]:
    """Entries as they are read, and the notes for next time below them."""
    lines: list[Text | str] = []
    for entry in page.entries:
        lines += [Text(str(entry.day), style="bold"), *_indented(entry.text), ""]
    if page.think_md:
        lines += [Text("For next time", style="bold"), *_indented(page.think_md)]
    return lines


def _indented(text: str) -> list[Text | str]:
    return [Text(f"  {words(line)}", style="italic cyan") for line in text.splitlines()]
