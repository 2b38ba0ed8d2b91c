"""Ranking by a weighted sum of signals.

Each weight is a round number near the middle of a wide optimum, found with `make quality` on the two conversations of
locomo-dev and checked by tuning on one and testing on the other (docs/decisions/0086). Weighted scores were better than
reciprocal ranks.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from heapq import nlargest
from statistics import fmean as mean

import numpy as np
from numpy.typing import NDArray

from memory.retrieval import weighing
from memory.retrieval.weighing import Ranked
from store.search.candidates import SearchCandidate

Numbers = NDArray[np.float64]

# BM25's own: how soon a repeated word adds nothing more, and how much long texts are held back.
SATURATION = 1.2
LENGTH_WEIGHT = 0.6
# A turn of talk is read with the two before and the two after it: the words of a question stand in the turn before its
# answer. The messages before count more than those after.
WINDOW: Mapping[int, float] = {-2: 0.3, -1: 0.7, 1: 0.5, 2: 0.2}
AROUND = 2
# The neighbours' parts in the joint similarity of a message and them; the message's own part is 1.
BESIDE: Mapping[int, float] = {-1: 0.5, 1: 0.5}
# A question of at most this many terms asks about each of them. A longer one, such as a turn in the middle of a chat,
# does not ask about most of its words: the signals of its words count less, in proportion, and it may go back to
# several conversations, over which its results are spread, and mostly continues recent messages.
FOCUSED_TERMS = 8
HALF_LIFE = timedelta(days=30)
# Results are spread over conversations among this many of the best, or twice the limit.
AMONG = 100
# The relevance of a conversation to the question is the mean similarity of this many of its messages, the best ones.
BEST_OF_SESSION = 3
# The relevance of a day's talk to the question is the mean of this many of its messages, the best ones.
BEST_OF_DAY = 3

WEIGHTS: Mapping[str, float] = {
    # BM25 of the text with its neighbours, over the highest among the candidates.
    "words": 1.0,
    # Cosine similarity to the question, 1 together with the same of a message with the ones beside it.
    "meaning": 0.7,
    "around": 0.3,
    # Every word of the question stands in the text itself.
    "all_words": 0.3,
    # Said by a speaker that the question names.
    "speaker": 0.2,
    # The first or the last message that names the subject of a question of one or two terms.
    "mention": 0.3,
    # A message that ends in a question: it has less information than its answer.
    "question": -0.2,
    # Said or happened within a time that the question names.
    "time": 0.3,
    # A memory of a day with messages that score high.
    "talk": 0.3,
    # The recency of a message; only for a query that is longer than a question, in proportion.
    "recency": 0.2,
    # The conversation's best messages are similar to the question; only where each conversation has one result.
    "session": 2.0,
    # Hundreds of terms of its conversation that come before it: ten messages of one do not push out those of others.
    "crowded": -0.05,
}


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch of time that a question names, from `start` up to, and without, `end`."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Collection:
    """The BM25 statistics of the documents that a text is one of.

    Attributes:
        rarities: A weight for each term, in the order of the rows' counts.
        average: How many terms a document has, on average.
    """

    rarities: Sequence[float]
    average: float


@dataclass(frozen=True, slots=True)
class Query:
    """The query that candidates are compared with.

    Attributes:
        talk: The collection of all messages.
        rest: The collection of everything else that is looked among.
        apart: Whether messages only support the rest and are no results, so that each collection has its own highest.
        one_per_session: Whether a conversation has one result at most.
        names: Which of the terms name a speaker: in talk the message's speaker counts, and not the name in the text.
        speakers: The names of speakers that the question names, in lower case.
        mentions: The first and the last documents that name its subject.
        intervals: The times that it names.
    """

    talk: Collection
    rest: Collection
    apart: bool
    one_per_session: bool
    names: Sequence[bool]
    speakers: frozenset[str]
    mentions: frozenset[int]
    intervals: Sequence[Interval]


def ranked(
    query: Query, rows: Sequence[SearchCandidate], wanted: Callable[[SearchCandidate], bool], limit: int
) -> list[Ranked[SearchCandidate]]:
    """Rank candidates, best first; those of equal score newest first.

    Args:
        query: The query that they are compared with.
        rows: The candidates with the messages around them, in the order of their conversations.
        wanted: Which of them may be answered.
        limit: How many, at most.
    """
    if not rows:
        return []
    values = {name: of_rows.tolist() for name, of_rows in signals(query, rows).items()}
    if query.one_per_session:
        best = weighing.ranked(rows, values, WEIGHTS, ties=newest_first, limit=None, wanted=wanted)
        return weighing.first_of_each(best, _conversation)[:limit]
    best = weighing.ranked(rows, values, WEIGHTS, ties=newest_first, limit=max(AMONG, 2 * limit), wanted=wanted)
    long = 1 / _focus(query) ** 2
    return weighing.spread(
        best, _conversation, lambda row: long * row.length / 100, "crowded", WEIGHTS["crowded"], limit
    )


def _conversation(row: SearchCandidate) -> object:
    """Return the session of a message, or of a summary; any other item is a group of its own."""
    if row.kind == "message":
        return row.session_id
    return row.item_id if row.kind == "summary" else row.document_id


def _focus(query: Query) -> float:
    """The share of a question's words that it asks about, at most 1."""
    return min(1.0, FOCUSED_TERMS / max(1, len(query.names)))


def signals(query: Query, rows: Sequence[SearchCandidate]) -> dict[str, Numbers]:
    """Each signal's value for each row; `covered` has no weight."""
    talk = np.array([row.kind == "message" for row in rows], dtype=bool)
    times = np.array([row.times for row in rows], dtype=float).reshape(len(rows), len(query.names))
    names = np.array(query.names, dtype=bool)
    if not names.all():
        times[np.ix_(talk, names)] = 0
    rarities = np.where(talk[:, None], query.talk.rarities, query.rest.rarities)
    telling = rarities * ~(talk[:, None] & names & ~names.all())
    conversations = _conversations(rows)
    wide, words = _words(query, rows, conversations, talk, times, rarities)
    has_all = ((times > 0) | (telling == 0)).all(axis=1) & (times > 0).any(axis=1)
    meaning = np.array([row.similarity or 0.0 for row in rows])
    by_words = {
        "words": words,
        "all_words": has_all.astype(float),
        "speaker": np.array([_named(query, row) for row in rows], dtype=float),
        "mention": np.array([row.document_id in query.mentions for row in rows], dtype=float),
        "question": np.array([row.kind == "message" and row.question for row in rows], dtype=float),
        "time": np.array([_within(query.intervals, row.said_at) for row in rows], dtype=float),
    }
    focus = _focus(query)
    values = {name: focus * of_rows for name, of_rows in by_words.items()}
    values |= {"meaning": meaning, "around": _around(conversations, meaning), "session": np.zeros(len(rows))}
    values["recency"] = (1 - focus) * _recency(rows) if focus < 1 else np.zeros(len(rows))
    if query.one_per_session:
        values["session"] = _of_session(rows, meaning)
    values["crowded"] = np.zeros(len(rows))
    values["talk"] = _talk(rows, weighted(values, {name: WEIGHTS[name] for name in values}))
    # The share of the question's words, by their rarity, that stand in it or beside it.
    values["covered"] = ((wide > 0) * telling).sum(axis=1) / np.maximum(telling.sum(axis=1), 1e-9)
    return values


def weighted(values: Mapping[str, Numbers], weights: Mapping[str, float]) -> Numbers:
    """The score of each row."""
    scores: Numbers = np.sum([weight * values[name] for name, weight in weights.items()], axis=0)
    return scores


def newest_first(row: SearchCandidate) -> tuple[float, int]:
    """Orders rows of one score."""
    return -row.said_at.timestamp(), row.document_id


def _words(
    query: Query,
    rows: Sequence[SearchCandidate],
    conversations: NDArray[np.int64],
    talk: NDArray[np.bool_],
    times: Numbers,
    rarities: Numbers,
) -> tuple[Numbers, Numbers]:
    """How often each term occurs in each text with its neighbours; and BM25 of that, of which the highest is 1."""
    wide, long = times.copy(), np.array([row.length for row in rows], dtype=float)
    lengths = long.copy()
    for by, weight in WINDOW.items():
        here, there = _side_by_side(conversations, by)
        wide[here] += weight * times[there]
        long[here] += weight * lengths[there]
    # The average length of a turn with its weighted neighbours.
    average = np.where(talk, query.talk.average * (1 + sum(WINDOW.values())), query.rest.average)
    held_back = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * long / average)
    scores: Numbers = (wide * (SATURATION + 1) / (wide + held_back[:, None]) * rarities).sum(axis=1)
    groups = [talk, ~talk] if query.apart else [np.ones(len(rows), dtype=bool)]
    for group in groups:
        highest = scores[group].max(initial=0.0)
        if highest > 0:
            scores[group] /= highest
    return wide, scores


def _around(conversations: NDArray[np.int64], meaning: Numbers) -> Numbers:
    """Return the mean similarity of each message and its neighbours; for other items, their own."""
    near, parts = meaning.copy(), np.ones(len(meaning))
    for by, weight in BESIDE.items():
        here, there = _side_by_side(conversations, by)
        near[here] += weight * meaning[there]
        parts[here] += weight
    return near / parts


def _of_session(rows: Sequence[SearchCandidate], meaning: Numbers) -> Numbers:
    """Return for each row the mean similarity of its conversation's best messages; other items have their own."""
    of_each: defaultdict[object, list[float]] = defaultdict(list)
    for row, similarity in zip(rows, meaning, strict=True):
        of_each[_conversation(row)].append(float(similarity))
    best = {one: mean(nlargest(BEST_OF_SESSION, near)) for one, near in of_each.items()}
    return np.array([best[_conversation(row)] for row in rows])


def _conversations(rows: Sequence[SearchCandidate]) -> NDArray[np.int64]:
    """A number for each row's conversation, and one of its own for each row that is no message."""
    numbers: dict[object, int] = {}
    return np.array(
        [numbers.setdefault(row.session_id if row.kind == "message" else row.document_id, len(numbers)) for row in rows]
    )


def _side_by_side(conversations: NDArray[np.int64], by: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places of rows, and of the rows `by` turns further in the same conversation."""
    here = np.arange(max(0, -by), len(conversations) - max(0, by))
    same = here[conversations[here] == conversations[here + by]]
    return same, same + by


def _talk(rows: Sequence[SearchCandidate], scores: Numbers) -> Numbers:
    """For each memory how well the talk of its day answers."""
    of_days: defaultdict[date, list[float]] = defaultdict(list)
    for row, score in zip(rows, scores, strict=True):
        if row.kind == "message":
            of_days[row.said_at.date()].append(float(score))
    best = {day: sum(nlargest(BEST_OF_DAY, of_day)) / BEST_OF_DAY for day, of_day in of_days.items()}
    return np.array([best.get(row.said_at.date(), 0.0) if row.kind == "node" else 0.0 for row in rows])


def _recency(rows: Sequence[SearchCandidate]) -> Numbers:
    """The recency of each message, against the latest among them."""
    latest = max((row.said_at for row in rows if row.kind == "message"), default=None)
    return np.array(
        [weighing.recency(latest - row.said_at, HALF_LIFE) if latest and row.kind == "message" else 0.0 for row in rows]
    )


def _named(query: Query, row: SearchCandidate) -> bool:
    return row.speaker is not None and row.speaker.casefold() in query.speakers


def _within(intervals: Sequence[Interval], moment: datetime) -> bool:
    return any(interval.start <= moment < interval.end for interval in intervals)
