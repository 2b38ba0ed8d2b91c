"""Times as other programs write them."""

# ruff: noqa: RUF001, RUF003  # letters of other languages

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, NamedTuple

# From here on a number counts milliseconds, or parts of one: in seconds it would be the year 5138.
_MILLISECONDS_FROM = 1e11
_NO_TIME_FROM = 1e20
_NUMBER = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,20})?")
_HUMANIZED = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?(\d{1,3})ms)?$")
# How the names of months begin, in the languages in which SillyTavern has written times; of several the longest counts.
# The same name is that of two months in Croatian, where full stops are behind the day and the year, and in Polish or
# Czech.
_MONTHS = (
    "jan ene gen ian jän jaan tam ýan sty led oca sij xan yan янв січ яну јан студз ιαν ינו בינו ژانو يناير มกราคม",
    "feb fev fév úno фебр few lut şub helm velj veeb pebr фев лют φεβ בפבר فور فبراير กุมภาพันธ์",
    "mar mär már maa bře ožu mac мар бер сак μάρ μαρ במרץ مارس มีนาคม",
    "apr avr abr ápr kwi dub nis huht trav апр квіт крас απρ באפר آور أبريل เมษายน",
    "mai maí may mag mei maj máj maaie kvě touk svi мая май трав траў мај μάι μαΐ במאי مايو พฤษภ",
    "jun jún juin meith hun giu iun juu cze červ haz kesä lipn xuñ iyun июн черв чэрв юни јун ιουν ביוני ژوئن يونيو มิถ",
    "jul júl juil hul lug iul juul lipc ..srp červenc tem hei srpnj xul iyul июл лип юли јул ліп ιουλ ביול ژوئی يول กร",
    "aug aoû ago ágú agu avg avq sie srp ağu elo kol ogos авг серп жні αύγ αυγ באוג اوت أغسطس สิงหาคม",
    "sep set wrz zář eyl syys ruj sze sent сен вер сеп σεπ בספט سپتا سبتمبر กันยายน",
    "oct okt ott out paź říj eki loka .listopada ..lis окт жовт каст οκτ באוק اکتب أكتوبر ตุลาคม",
    "nov nóv nop noi noy nob noe lis kas marras stud нояб лист ное нов ліст νοέ νοε בנוב نوام نوفمبر พฤศจิกายน",
    "dec dets dez déc dic des dek dis gru pros ara joul дек груд дец снеж δεκ בדצמ دسام ديسمبر ธันวาคม",
)
# The longest first.
_BEGINS = sorted(
    ((begin, number) for number, begins in enumerate(_MONTHS, 1) for begin in begins.split()),
    key=lambda one: (-len(one[0]), -one[1]),
)
_NAME = r"(?P<name>[^\s\d.,]{3,12}+)\.?,?\s+"
_ERA = r"(?:\s?[гр]\.)?"
_WEEKDAY = r"(?:[^\s\d.,]{2,12}+[.,]{0,2}\s+)?"
_BEHIND_YEAR = rf"(?:(?P<end>\.)|{_ERA})"
_BEHIND_DAY = r"(?:st|nd|rd|th|er|º|(?P<stop>\.))?"
_DATES = (
    # 2024年4月25日, 2024. 4. 25., 2024/4/25, 2024-4-25: where the year comes first, day and month can't be mistaken
    r"(?P<year>\d{4})\s?[年년/.-]\s?(?P<month>\d{1,2})\s?[月월/.-]\s?(?P<day>\d{1,2})\s?[日일.]?",
    # Thu, Apr 25th 2024
    rf"{_WEEKDAY}{_NAME}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})",
    # 25. April 2024, 25 de abril de 2024, 25 апреля 2024 г.
    rf"{_WEEKDAY}(?P<day>\d{{1,2}}){_BEHIND_DAY}\s+(?:de\s+|of\s+|d['’])?{_NAME}(?:de\s+)?(?P<year>\d{{4}}){_BEHIND_YEAR}",
    # 2024. április 25.
    rf"(?P<year>\d{{4}})\.?\s+{_NAME}(?P<day>\d{{1,2}})\.?",
    # 25.4.2024, 25 tháng 4 năm 2024
    r"(?P<day>\d{1,2})(?:\.\s?|\stháng\s)(?P<month>\d{1,2})(?:\.\s?|,?\snăm\s|,\s)(?P<year>\d{4})",
    # 25-Apr-2024, 25/Apr/2024
    r"(?P<day>\d{1,2})[-/](?P<name>[^\s\d.,/-]{3,12}+)[-/](?P<year>\d{4})",
    # 4/5/2024, 6:30 PM: where halves of the day are in capitals, the month comes first
    r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})(?=.{1,20}\s(?-i:[AP]M)\Z)",
)
_CLOCK = (
    r"\D{0,9}?(?P<before>上午|下午|午前|午後|오전|오후|[ap]m\b)?\s?(?P<hour>\d{1,2})\s?[:.h時时點点시]\s?(?P<minute>\d{1,2})"
    r"\s?[分분]?(?:(?::|(?<=[分분])\s?)(?P<second>\d{1,2})[秒초]?(?:[.,]\d{1,9})?)?(?:\s?(?P<half>[apπμ])\.?\s?[mμ]\.?)?"
    r"(?:\s?(?P<zone>Z|UTC|GMT)?\s?(?P<offset>[+-]\d{2}:?\d{2})?(?:\sUTC)?)(?:\s\([^()]{1,60}\))?"
)
_CLOCK_FIRST = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?:\s?(?P<half>[ap])\.?m\.?)?[\s,·]{1,3}"
# Mon Mar  2 20:00:00 2026, Mon Mar 02 20:00:00 +0000 2026
_YEAR_LAST = (
    rf"{_WEEKDAY}{_NAME}(?P<day>\d{{1,2}})\s+(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}}):(?P<second>\d{{2}})\s+"
    r"(?:(?P<zone>UTC|GMT)\s+|(?P<offset>[+-]\d{4})\s+)?(?P<year>\d{4})"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        *(f"{date}(?:{_CLOCK})?" for date in _DATES),
        *(f"{_CLOCK_FIRST}{date}" for date in _DATES),
        _YEAR_LAST,
    )
)
WRITTEN_CHARACTERS = 120
# How Java names the zone behind an offset: 2024-04-25T18:30Z[UTC].
_ZONE_NAME = re.compile(r"\[[\w/+-]{1,40}\]\Z")
# Milliseconds, as .NET writes a time.
_OF_NET = re.compile(r"\A/Date\((\d{1,20})(?:[+-]\d{4})?\)/\Z")
_AFTERNOON = frozenset(("下午", "午後", "오후", "pm", "p", "μ"))
NOON = 12
# Chats with models are not older: an earlier time stands for none, as 0 does.
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
STEP = timedelta(milliseconds=1)
SECOND = timedelta(seconds=1)


class ClockTime(NamedTuple):
    """A time in UTC, None if it is none; and the second one, if the clock of a local time showed it twice."""

    at: datetime | None
    again: datetime | None = None


def clock_time(value: Any, zone: tzinfo = UTC) -> ClockTime:
    """Parse a time as `moment` does, with the second one that a clock showed alike."""
    local = _local(value, zone)
    at = _in_range(local)
    if local is None or at is None or local.tzinfo is not zone:
        return ClockTime(at)
    return ClockTime(at, second_of_two(local))


def moment(value: Any, zone: tzinfo = UTC) -> datetime | None:
    """Parse a time.

    Args:
        value: Seconds, or thousandths or millionths of them, since 1970; ISO 8601; one of the forms that SillyTavern
            has written, as "March 1, 2024 9:05pm", "2024-3-1 @21h 05m 17s 123ms", "2024年3月1日 21:05",
            "1. März 2024 21:05"; or as JavaScript and e-mail write it.
        zone: The zone of a time that names none.

    Returns:
        The time in UTC; None if it is none, out of range, or before 2000.
    """
    return _in_range(_local(value, zone))


def second_of_two(local: datetime) -> datetime | None:
    """Return the second of the two times at which a clock showed a local time; None if it did so once."""
    second = local.replace(fold=1)
    return _in_range(second) if second.utcoffset() != local.utcoffset() else None


def _in_range(local: datetime | None) -> datetime | None:
    try:
        read = None if local is None else local.astimezone(UTC)
    except OverflowError:
        return None
    return read if read is not None and read >= EARLIEST else None


def _local(value: Any, zone: tzinfo) -> datetime | None:
    try:
        return _moment(value, zone)
    except (ValueError, OverflowError, OSError):
        return None


def _moment(value: Any, zone: tzinfo) -> datetime | None:
    if isinstance(value, str):
        value = _ZONE_NAME.sub("", _OF_NET.sub(r"\1", value.strip()[:WRITTEN_CHARACTERS]))
    if (seconds := number(value)) is not None:
        return datetime.fromtimestamp(seconds, UTC)
    return _in_zone(_read(value), zone) if isinstance(value, str) else None


def number(value: Any) -> float | None:
    """Return the seconds that a number counts, or a text that is one, which may be parts of them; None for others."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    seconds = float(min(value, _NO_TIME_FROM))
    while _MILLISECONDS_FROM <= seconds < _NO_TIME_FROM:
        seconds /= 1000
    return seconds


def _read(text: str) -> datetime:
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    if found := _HUMANIZED.match(text):
        *parts, milliseconds = (int(part or 0) for part in found.groups())
        return datetime(*parts) + timedelta(milliseconds=milliseconds)  # type: ignore[arg-type]  # noqa: DTZ001  # the zone is set by the caller
    for form in _FORMS:
        if found := form.fullmatch(text):
            return _of_parts(found.groupdict())
    raise ValueError


def _of_parts(parts: dict[str, str | None]) -> datetime:
    """The time that the parts of a written one say; without a zone if it has none."""
    numbers = {part: int(parts.get(part) or 0) for part in ("year", "month", "day", "hour", "minute", "second")}
    if parts.get("name"):
        numbers["month"] = _month(parts["name"] or "", [parts.get("stop"), parts.get("end")])
    if half := parts.get("half") or parts.get("before"):
        numbers["hour"] = numbers["hour"] % NOON + NOON * (half.lower() in _AFTERNOON)
    read = datetime(**numbers)  # type: ignore[arg-type]  # noqa: DTZ001  # the zone is set by the caller
    if offset := parts.get("offset"):
        return read.replace(tzinfo=datetime.strptime(offset, "%z").tzinfo)
    return read.replace(tzinfo=UTC) if parts.get("zone") else read


def _month(name: str, stops: Sequence[str | None]) -> int:
    """The number of a month by its name, and by full stops behind the day, and the year; 0 if none begins so."""
    folded = unicodedata.normalize("NFC", name.casefold())
    named = [folded, *(f"{'.' * number}{folded}" for number in (1, 2) if all(stops[:number]))]
    return next((number for begin, number in _BEGINS if any(one.startswith(begin) for one in named)), 0)


def _in_zone(read: datetime, zone: tzinfo) -> datetime:
    return read if read.tzinfo else read.replace(tzinfo=zone)


def risen(times: Sequence[datetime | None], begins: datetime | None, latest: datetime) -> list[datetime]:
    """Make the times of messages rise along their order.

    As many times as possible are kept: a clock that was set back, two clocks, or one wrong time move few others. A
    message without a time follows the one before by a second; one with a time that does not fit is moved between its
    neighbours.

    Args:
        times: The times, in the order of the messages; None where none is known.
        begins: When the conversation began, or the time of its file.
        latest: The time that none may exceed.
    """
    known = [time if time is not None and EARLIEST <= time <= latest else None for time in times]
    kept = _longest_rise(known)
    found = [known[place] if place in kept else None for place in range(len(known))]
    begin = begins if begins is not None and EARLIEST <= begins <= latest else None
    if not kept:
        base = min(begin or latest, latest - len(known) * SECOND)
        return [base + (place + 1) * SECOND for place in range(len(known))]
    _lead(found, known, begin, first=min(kept))
    following: list[datetime] = []
    nexts = _next_known(found)
    for place, time in enumerate(found):
        before = following[-1] if following else EARLIEST
        if time is None:
            own = known[place] or before + SECOND
            behind = nexts[place]
            time = own if behind is None else min(own, behind - STEP)  # noqa: PLW2901  # its place is filled
        following.append(max(time, before + STEP))
    for place in range(len(following) - 1, -1, -1):
        following[place] = min(following[place], latest)
        latest = following[place] - STEP
    return following


def _lead(
    found: list[datetime | None], known: Sequence[datetime | None], begin: datetime | None, *, first: int
) -> None:
    """Fill the times before the first that is kept."""
    for place in range(first - 1, -1, -1):
        behind = found[place + 1]
        if behind is None:
            continue
        own, from_begin = known[place], None if begin is None else begin + (place + 1) * SECOND
        if own is None and from_begin is not None and from_begin < behind:
            found[place] = from_begin
        else:
            found[place] = behind - (SECOND if own is None else STEP)


def _next_known(times: Sequence[datetime | None]) -> list[datetime | None]:
    """Return, for each place, the next time behind it that is known."""
    found: list[datetime | None] = [None] * len(times)
    behind: datetime | None = None
    for place in range(len(times) - 1, -1, -1):
        found[place] = behind
        behind = times[place] or behind
    return found


def _longest_rise(times: Sequence[datetime | None]) -> set[int]:
    """Return the places of a longest run of times that never fall."""
    tails: list[datetime] = []
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for place, time in enumerate(times):
        if time is None:
            continue
        length = bisect_right(tails, time)
        tails[length : length + 1] = [time]
        ends[length : length + 1] = [place]
        before[place] = ends[length - 1] if length else None
    kept: set[int] = set()
    at = ends[-1] if ends else None
    while at is not None:
        kept.add(at)
        at = before[at]
    return kept
