"""The first call: queries, names and times to search for, from the question alone."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from memory.llm.prompting import prompt
from memory.text.prompt_escaping import tagged
from providers.thinking import Question
from schemas.accounts.accounts import Being
from schemas.context.asking import AskPlan, AskRequest
from schemas.limits import EARLIEST_YEAR, LATEST_YEAR

PLAN = prompt("ask_plan", AskPlan, size="small", most_tokens=800)
# A longer search, name or counted phrase is none.
QUERY_LENGTH = 200
NAME_LENGTH = 80
_DAY = timedelta(days=1)
_DATE = re.compile(r"([0-9]{4})(?:[-/. ]?([0-9]{1,2})(?:[-/. ]?([0-9]{1,2}))?)?(?![0-9])")


@dataclass(frozen=True, slots=True)
class Plan:
    """The queries, names and times that are looked for beside the question itself.

    Attributes:
        queries: Further searches.
        names: People, places and things to look up.
        since: The beginning of the time that is asked about.
        until: Its end.
        counts: The things to count: for each the words of which one must be said.
    """

    queries: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    counts: tuple[tuple[str, ...], ...] = ()


def question(being: Being, user: str, request: AskRequest, now: datetime) -> Question[AskPlan]:
    """The question to the model; `now` is the moment that is asked about, in the user's time zone."""
    return PLAN.question("", head(being, user, request, now))


def head(being: Being, user: str, request: AskRequest, now: datetime) -> str:
    """The model's question for a plan."""
    about = [tagged("about", request.about)] if request.about else []
    return "\n".join(
        [
            f"<now>{now:%Y-%m-%d, %A}</now>",
            tagged("user", user),
            tagged("companion", being.name),
            tagged("question", request.question),
            *about,
        ]
    )


def checked(answer: AskPlan, zone: tzinfo) -> Plan:
    """The part of a model's plan that can be looked for; the rest is left out.

    Args:
        answer: The plan.
        zone: The user's time zone, in which its days are.
    """
    since, until = _day(answer.since, zone), _day(answer.until, zone, last=True)
    until = until and until + _DAY
    if since and until and since >= until:
        since = until = None
    counts = (_texts(one.any_of, QUERY_LENGTH) for one in answer.counts)
    return Plan(
        _texts(answer.queries, QUERY_LENGTH),
        _texts(answer.names, NAME_LENGTH),
        since,
        until,
        tuple(dict.fromkeys(one for one in counts if one)),
    )


def _texts(given: list[str], length: int) -> tuple[str, ...]:
    texts = (" ".join(one.split()) for one in given)
    return tuple(dict.fromkeys(one for one in texts if 0 < len(one) <= length))


def _day(given: str | None, zone: tzinfo, *, last: bool = False) -> datetime | None:
    """The beginning of a day, of a month or year that of its first or `last` day; None if it is none."""
    found = _DATE.match((given or "").strip())
    if not found:
        return None
    year, month, day = int(found[1]), int(found[2] or (12 if last else 1)), int(found[3] or 1)
    try:
        if last and not found[3]:
            day = monthrange(year, month)[1]
        begins = date(year, month, day)
    except ValueError:
        return None
    if not EARLIEST_YEAR < begins.year < LATEST_YEAR:
        return None
    return datetime.combine(begins, time.min, zone).astimezone(UTC)
