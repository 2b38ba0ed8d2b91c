"""Resolves the expressions of time in a question to intervals."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

from memory.text.languages import SPOKEN
from memory.text.time_expressions import further, modifiers
from memory.text.time_expressions.chinese import CHINESE
from memory.text.time_expressions.english import ENGLISH
from memory.text.time_expressions.french import FRENCH
from memory.text.time_expressions.german import GERMAN
from memory.text.time_expressions.japanese import JAPANESE
from memory.text.time_expressions.language import Language
from memory.text.time_expressions.periods import AskingMoment
from memory.text.time_expressions.reader import Expression, ExpressionReader
from memory.text.time_expressions.russian import RUSSIAN
from memory.text.time_expressions.spanish import SPANISH

LANGUAGES: Mapping[str, Language] = {
    "de": GERMAN,
    "en": ENGLISH,
    "es": SPANISH,
    "fr": FRENCH,
    "ja": JAPANESE,
    "ru": RUSSIAN,
    "zh": CHINESE,
}
TABLES: Mapping[str, Language] = {**LANGUAGES, **further.LANGUAGES}
DEFAULT_LANGUAGE = "en"
_SCRIPT_OF = {code: script for script, code in SPOKEN}
# Four letters and the apostrophe are Ukrainian's own.
_UKRAINIAN = re.compile("[іїєґ]|[\u0400-\u052f]'[\u0400-\u052f]", re.IGNORECASE)
# The languages that are written so, the likeliest first.
_SCRIPTS = (
    *((_SCRIPT_OF[codes[0]], codes) for codes in (("ja",), ("ko",), ("zh", "ja"))),
    (_UKRAINIAN, ("uk",)),
    *((_SCRIPT_OF[codes[0]], codes) for codes in (("ru", "uk"), ("ar",), ("hi",), ("el",))),
)
FIRST_YEAR = modifiers.EARLIEST.year
LAST_YEAR = 2199

# Questions are short; expressions beyond this are not read.
MAX_CHARACTERS = 2000

_SOUTHERN_ZONES = (
    *("Africa/Gaborone", "Africa/Harare", "Africa/Johannesburg", "Africa/Maputo", "Africa/Maseru", "Africa/Mbabane"),
    *("Africa/Windhoek", "America/Argentina/", "America/Asuncion", "America/Buenos_Aires", "America/Campo_Grande"),
    *("America/Cuiaba", "America/La_Paz", "America/Lima", "America/Montevideo", "America/Santiago"),
    *("America/Sao_Paulo", "Australia/", "Indian/Antananarivo", "Indian/Mauritius", "Indian/Reunion"),
    *("Pacific/Auckland", "Pacific/Chatham"),
)


@dataclass(frozen=True)
class TimeInterval:
    """A half-open interval that an expression stands for.

    Attributes:
        start: The first instant, in UTC.
        end: The instant after the last, in UTC; later than `start`.
        text: The words of the question that it was read from, NFKC-normalised.
    """

    start: datetime
    end: datetime
    text: str


def resolve_time_expressions(
    query: str, asked_at: datetime, time_zone: str, language: str, *, ahead: bool = False
) -> list[TimeInterval]:
    """Resolve the expressions of time in a question; never raises for any text.

    Names of recurring times ("in May", "on Monday", "in the summer") mean the latest that has begun, as questions to a
    memory are about the past; "last" means the latest that is over. With `ahead` they mean the next, as in plans.
    Weeks begin on Monday. Expressions that depend on something else than the clock ("the week before my birthday"),
    vague ones ("recently") and words that are ordinary more often than not ("may", "now") are left alone.

    Args:
        query: The question.
        asked_at: When it is asked, an aware datetime; nothing is resolved for years outside 1900 to 2199.
        time_zone: The user's IANA time zone; UTC if there is no such zone.
        language: The question's language as `table_of` takes it. Where its table finds nothing, the English one does.
        ahead: Whether the event lies ahead.

    Returns:
        Intervals that do not overlap in the question, in the order of their words.
    """
    zone = named_zone(time_zone)
    if not FIRST_YEAR < asked_at.year < LAST_YEAR:
        return []
    local = asked_at.astimezone(zone).replace(tzinfo=None)
    at = AskingMoment(local, southern=time_zone.startswith(_SOUTHERN_ZONES), ahead=ahead)
    # One character may become eighteen.
    text = unicodedata.normalize("NFKC", query[:MAX_CHARACTERS])[:MAX_CHARACTERS].replace("\u2019", "'")
    for table in dict.fromkeys((table_of(text, language), DEFAULT_LANGUAGE)):
        if found := _reader(table).expressions(text, at):
            return list(_intervals(found, text, zone))
    return []


def _intervals(expressions: list[Expression], text: str, zone: tzinfo) -> Iterator[TimeInterval]:
    for each in expressions:
        if each.span.start.year < FIRST_YEAR or each.span.end.year > LAST_YEAR:
            continue
        start, end = (edge.replace(tzinfo=zone).astimezone(UTC) for edge in each.span)
        # An hour that the clock skips has no length.
        if start < end:
            yield TimeInterval(start, end, text[each.start : each.end])


@cache
def _reader(code: str) -> ExpressionReader:
    return ExpressionReader(TABLES[code])


def table_of(text: str, language: str) -> str:
    """The code of the table that a text is read with: of its script, else of its language, else English.

    Args:
        language: Its language as an ISO 639-1 code, of which a region ("de-AT") is ignored.
    """
    code = re.split("[-_]", language.casefold(), maxsplit=1)[0]
    for script, codes in _SCRIPTS:
        if script.search(text):
            return code if code in codes else codes[0]
    return code if code in TABLES else DEFAULT_LANGUAGE


def named_zone(name: str) -> tzinfo:
    """Return the time zone of an IANA name; UTC if this system does not know it."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC
