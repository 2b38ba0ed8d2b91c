"""Counts by code: in how many messages and memories something is mentioned, when first and last."""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.asking.sources import Key, Source
from memory.search.candidates import default_speakers, language_of
from memory.search.terms import digest, terms
from memory.talk.context_provenance import own_texts
from schemas.accounts.accounts import Being
from schemas.search import Kind
from store.search import counting, lexical
from store.search.counting import Mention
from store.search.scope import SearchScope
from store.talk import messages
from store.transaction import Transaction

# Of more the latest are counted, and the row says so.
MOST_COUNTED = 5000
# The most messages that are read again without the words of contexts and answers, which they may repeat.
MOST_READ = 500
DAYS_SHOWN = 30
KINDS: tuple[Kind, ...] = ("message", "node")
CALLED = {"message": "messages", "node": "memories"}


@dataclass(frozen=True, slots=True)
class Period:
    """The time of the counted items, as known at `as_of`, relative to `now` in the user's time zone."""

    now: datetime
    since: datetime | None
    until: datetime | None
    as_of: datetime | None


def rows(tx: Transaction, being: Being, counts: Sequence[Sequence[str]], period: Period) -> list[Source]:
    """Return a row for each mentioned thing and each kind of item that mentions it; unmentioned things have none."""
    scope = SearchScope(being.being_id, being.user_id, KINDS, period.since, period.until, period.as_of)
    language = language_of(tx, being) if counts else ""
    found: list[Source] = []
    for phrases in counts:
        wanted = [frozenset(digest(term) for term in terms(phrase, language)) for phrase in phrases]
        mentions = _find_mentions(tx, being, scope, wanted, language)
        for kind in CALLED:
            if of_kind := [one for one in mentions if one.kind == kind]:
                number = len(found) + 1
                text = _render_count(kind, phrases, of_kind, period)
                found.append(Source(Key("computed", UUID(int=number)), f"count-{number}", text))
    return found


def _find_mentions(
    tx: Transaction, being: Being, scope: SearchScope, wanted: Sequence[AbstractSet[int]], language: str
) -> list[Mention]:
    """The messages that hold all terms of one of these sets, by their own words, in the order of their times."""
    known = lexical.rarities(tx, scope, list({term for one in wanted for term in one})).counts
    found: dict[UUID, Mention] = {}
    for one in wanted:
        if one and one <= known.keys():
            rarest_first = sorted(one, key=lambda term: known[term])
            mentions = counting.mentions_of(tx, scope, rarest_first, default_speakers(being), MOST_COUNTED)
            found |= {mention.item_id: mention for mention in mentions}
    ids = [one.item_id for one in found.values() if one.kind == "message"]
    if 0 < len(ids) <= MOST_READ:
        standing = messages.standing(tx, being.being_id, ids, scope.as_of)
        own = own_texts(tx, being.being_id, standing)
        for message in standing:
            text = own[message.message_id]
            if text == message.content:
                continue
            held = {digest(term) for term in terms(text, language)}
            if not any(one <= held for one in wanted):
                # Only words that the message repeats from a context or an answer match.
                del found[message.message_id]
    return sorted(found.values(), key=lambda one: one.said_at)


def _render_count(kind: str, phrases: Sequence[str], found: Sequence[Mention], period: Period) -> str:
    zone = period.now.tzinfo
    mentions = [(one.said_at.astimezone(zone).date(), one.speaker) for one in found]
    days = list(dict.fromkeys(day for day, _ in mentions))
    by = Counter(speaker for _, speaker in mentions if speaker)
    shown = days[-DAYS_SHOWN:]
    ago = (period.now.date() - days[-1]).days
    at_least = "at least " if len(found) >= MOST_COUNTED else ""
    mentioned = " or ".join(f'"{phrase}"' for phrase in phrases)
    parts = [
        f"{CALLED[kind].capitalize()} with {mentioned}: {at_least}{len(found)}",
        ", ".join(f"by {speaker} {count}" for speaker, count in by.most_common()),
        f"on {len(days)} days, of which the latest: " if len(shown) < len(days) else f"on {len(days)} days: ",
    ]
    parts[2] += ", ".join(map(str, shown))
    return "; ".join([*filter(None, parts), *_ends(mentions, ago, period.now)])


def _ends(mentions: Sequence[tuple[object, str | None]], ago: int, now: datetime) -> Iterator[str]:
    for name, (day, speaker) in (("first", mentions[0]), ("last", mentions[-1])):
        yield f"{name} {day}{f' by {speaker}' if speaker else ''}"
    yield f"the last {ago} days before {now.date()}"
