"""Candidates for an answer: nominated by each signal, and seen with what stands around them."""

import math
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from uuid import UUID

from memory.retrieval.understanding import Understood
from memory.retrieval.weighing import Ranked
from memory.search import ranking
from memory.search.questions import Term, read
from memory.search.ranking import AROUND, LENGTH_WEIGHT, SATURATION, Interval, Query
from memory.text.languages import DEFAULT
from memory.text.time_expressions.resolution import resolve_time_expressions
from schemas.accounts.accounts import Being
from schemas.search import EverythingRequest, Kind
from store import clock
from store.accounts import users
from store.search import candidates as known_candidates
from store.search import documents, lexical, nearest, scope
from store.search.candidates import Seen
from store.search.scope import Within
from store.transaction import Transaction

# Each signal nominates so many; the evidence that is wanted stands among the first twenty of one of them.
NOMINATED = 40
# A rare speaker's messages may stand far behind.
NOMINATED_OF_SPEAKER = 500
RECENT_MESSAGES = 200
# A question of so few words asks about what they name.
NAMING_TERMS = 2
# Kinds of which some are the user's, for all of the user's Beings.
USERS: tuple[Kind, ...] = ("fact", "vault")


@dataclass(frozen=True, slots=True)
class Candidates:
    """The documents to be ranked.

    Attributes:
        query: What it is held against.
        rows: The candidates and what stands around them, in the order of their conversations.
        wanted: The documents that may be answered; the others are only looked at.
    """

    query: Query
    rows: Sequence[Seen]
    wanted: frozenset[int]

    def best(self, limit: int, apart_from: Collection[UUID] = ()) -> list[Ranked[Seen]]:
        """The best of the documents that may be answered, best first, without those of some items."""

        def is_wanted(row: Seen) -> bool:
            return row.document_id in self.wanted and row.item_id not in apart_from

        return ranking.ranked(self.query, self.rows, is_wanted, limit)


@dataclass(frozen=True, slots=True)
class Worded:
    """The evidence of a question's words, for which no embedding is needed.

    Attributes:
        query: What candidates are held against.
        terms: The terms that are looked for.
        places: The documents that the words nominate.
    """

    query: Query
    terms: Sequence[Term]
    places: Sequence[int]


def by_words(tx: Transaction, being: Being, question: EverythingRequest, *, muted: bool = False) -> Worded:
    """Read a question, and nominate documents by its words; `tx` is one for which `scope.plan_once` was called."""
    limit, within = _limit(question), within_reach(being, question, muted=muted)
    names = known_candidates.speakers(tx, being.being_id, RECENT_MESSAGES)
    language = language_of(tx, being)
    terms, speakers = read(question.query, language, [*names, being.name])
    talk_within, rest_within = _talk(within), _rest(within)
    talk, talk_places = nominated_by_words(
        tx, talk_within, [term for term in terms if not term.name] or terms, terms, limit
    )
    rest, rest_places = nominated_by_words(tx, rest_within, terms, terms, limit)
    asks_for_talk = "message" in question.kinds
    mentions = _mentions(tx, talk_within, terms, talk) if asks_for_talk else []
    query = Query(
        talk=talk,
        rest=rest,
        apart=not asks_for_talk,
        one_per_session=question.one_per == "session",
        names=[term.name for term in terms],
        speakers=speakers,
        mentions=frozenset(mentions),
        intervals=_intervals(tx, being, question, language),
    )
    return Worded(query, terms, mentions + talk_places + rest_places)


def candidates(
    tx: Transaction,
    being: Being,
    question: EverythingRequest,
    understood: Understood,
    worded: Worded | None = None,
    *,
    muted: bool = False,
) -> Candidates:
    """The nominated documents, with their neighbours.

    Args:
        tx: The transaction.
        being: The Being that is asked.
        question: The question.
        understood: What it means.
        worded: What `by_words` returned for it, if it was called before.
        muted: Whether what is muted is found too.
    """
    scope.plan_once(tx)
    worded = worded or by_words(tx, being, question, muted=muted)
    within = within_reach(being, question, muted=muted)
    talk_within, rest_within = _talk(within), _rest(within)
    places = [*worded.places, *nominated_by_meaning(tx, talk_within, rest_within, understood, _limit(question))]
    rows = known_candidates.seen(
        tx,
        within,
        list(dict.fromkeys(places)),
        [term.digest for term in worded.terms],
        called=called(being),
        around=AROUND if talk_within.kinds else 0,
        talk=understood.talk,
        nodes=understood.nodes,
        facts=understood.facts,
    )
    return Candidates(worded.query, rows, _wanted(rows, set(places), question))


def _limit(question: EverythingRequest) -> int:
    return NOMINATED_OF_SPEAKER if question.speaker else NOMINATED


def within_reach(being: Being, question: EverythingRequest, *, muted: bool) -> Within:
    """Where a question looks; at what is muted only with `muted`."""
    times = question.since, question.until, question.as_of
    return Within(being.being_id, being.user_id, question.kinds, *times, muted=muted)


def _talk(within: Within) -> Within:
    """The messages within reach; memories are ranked by the talk of their day too."""
    return replace(within, kinds=["message"] if {"message", "node"} & {*within.kinds} else [])


def _rest(within: Within) -> Within:
    """All that is no message."""
    return replace(within, kinds=[kind for kind in within.kinds if kind != "message"])


def _wanted(rows: Sequence[Seen], places: AbstractSet[int], question: EverythingRequest) -> frozenset[int]:
    """The documents of the time and speaker asked about that were nominated, or are within reach of the words of some.

    Further ones are only looked at.
    """
    wanted = set[int]()
    for at, row in enumerate(rows):
        if row.kind in question.kinds and row.document_id in places:
            near = rows[max(0, at - AROUND) : at + AROUND + 1] if row.kind == "message" else [row]
            wanted |= {
                one.document_id
                for one in near
                if one.kind == row.kind and one.session_id == row.session_id and _fits(one, question)
            }
    return frozenset(wanted)


def _fits(row: Seen, question: EverythingRequest) -> bool:
    """Whether a document is of the time and the speaker that are asked about."""
    if question.since is not None and row.said_at < question.since:
        return False
    if question.until is not None and row.said_at >= question.until:
        return False
    if question.speaker is None:
        return True
    return row.speaker is not None and row.speaker.casefold() == question.speaker.strip().casefold()


def nominated_by_words(
    tx: Transaction, within: Within, telling: Sequence[Term], terms: Sequence[Term], limit: int
) -> tuple[ranking.Collection, list[int]]:
    """The BM25 statistics of a collection, and the documents in it that hold the telling terms, best first."""
    if not within.kinds:
        return ranking.Collection([0.0] * len(terms), 1.0), []
    known = lexical.rarities(tx, within, [term.digest for term in terms])
    rarities = {term.digest: rarity(known.documents, known.counts.get(term.digest, 0)) for term in terms}
    places = lexical.by_words(
        tx,
        within,
        known,
        {term.digest: rarities[term.digest] for term in telling},
        saturation=SATURATION,
        length_weight=LENGTH_WEIGHT,
        limit=limit,
    )
    return ranking.Collection(list(rarities.values()), known.average), places


def nominated_by_meaning(tx: Transaction, talk: Within, rest: Within, understood: Understood, limit: int) -> list[int]:
    """The documents that are nearest in meaning, of each kind of vectors."""
    found: list[int] = []
    if understood.talk:
        owners = [
            (talk.being_id, talk.kinds),
            (rest.being_id, [one for one in rest.kinds if one != "node"]),
            (rest.user_id, [one for one in rest.kinds if one in USERS]),
        ]
        found += nearest.told_like(tx, rest, [one for one in owners if one[1]], understood.talk, limit)
    if understood.nodes and "node" in rest.kinds:
        found += nearest.nodes_like(tx, rest, understood.nodes, limit)
    if understood.facts and "fact" in rest.kinds:
        found += nearest.facts_like(tx, rest, understood.facts, limit)
    return found


def _mentions(tx: Transaction, talk: Within, terms: Sequence[Term], known: ranking.Collection) -> list[int]:
    """Where what a question of one or two words asks about ("Who is Nora?") was named first and last."""
    if not 0 < len(terms) <= NAMING_TERMS:
        return []
    # The rarest term first: the others are looked for in what holds it.
    rarest = sorted(zip(known.rarities, terms, strict=True), key=lambda one: -one[0])
    return lexical.mentions(tx, talk, [term.digest for _, term in rarest])


def rarity(documents: int, having: int) -> float:
    """BM25's inverse document frequency, which is never negative."""
    return math.log(1 + (max(documents, having) - having + 0.5) / (having + 0.5))


def language_of(tx: Transaction, being: Being) -> str:
    """The language that the Being's words are stemmed in."""
    owner = documents.owner(tx, being.being_id)
    return owner.language if owner else DEFAULT


def called(being: Being) -> dict[str, str]:
    """How the speakers of messages are called where the producer gave no name: the Being by its name."""
    return {"assistant": being.name, "user": "user"}


def speaker_of(being: Being, speaker: str | None, role: str) -> str | None:
    """The speaker of a message: as the producer named them, else by their role."""
    return speaker or called(being).get(role)


def _intervals(tx: Transaction, being: Being, question: EverythingRequest, language: str) -> list[Interval]:
    """The times that a question names, as seen from when it is asked."""
    asked_at = question.as_of or clock.now(tx)
    named = resolve_time_expressions(question.query, asked_at, users.get_user(tx, being.user_id).time_zone, language)
    return [Interval(one.start, one.end) for one in named]
