"""The answer without a model: the best passages, dated, each with its neighbours. Each is its own evidence."""

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo

from memory.asking.checking import cite_of
from memory.asking.source_search import FoundSources
from memory.asking.sources import Key, Source
from schemas.context.asking import Sentence
from schemas.limits import ASK_SENTENCES


def passages(found: FoundSources, zone: tzinfo | None) -> list[Sentence]:
    """Return the passages that matter for the question, best first; each leaves out the messages of those before.

    Args:
        found: The sources.
        zone: The user's time zone, for the days.
    """
    return list(_passages(found.only_relevant(), zone))[:ASK_SENTENCES]


def _passages(found: FoundSources, zone: tzinfo | None) -> Iterator[Sentence]:
    shown = set[Key]()
    for passage in found.passages:
        new = [one for one in passage if one.key not in shown]
        shown |= {one.key for one in new}
        if new:
            cites = [cite_of(one, one.shown.removeprefix("\u2026 ").removesuffix(" \u2026")) for one in new]
            yield Sentence(sentence="\n".join(_lines(new, zone)), cites=cites)


def _lines(passage: Sequence[Source], zone: tzinfo | None) -> Iterator[str]:
    """Yield a line for each source: its day if it differs from the line before, its speaker or kind, and its text."""
    before = ""
    for one in passage:
        day = " to ".join(_day(moment, zone) for moment in (one.at, one.until) if moment)
        dated = f"{day}, " if day and day != before else ""
        yield f"{dated}{one.speaker or one.key.kind}: {one.shown}"
        before = day


def _day(moment: datetime, zone: tzinfo | None) -> str:
    return f"{moment.astimezone(zone):%Y-%m-%d}"
