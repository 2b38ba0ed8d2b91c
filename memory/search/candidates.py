"""Candidates for an answer: nominated by each signal, and loaded with the messages around them."""

import math
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from uuid import UUID

from memory.retrieval.query_vectors import QueryVectors
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
from store.search import documents, lexical, nearest
from store.search.candidates import SearchCandidate
from store.search.scope import SearchScope, plan_once
from store.transaction import Transaction

# The number of candidates of each signal; the wanted evidence stands among the first twenty of one of them.
NOMINATED = 40
# A rare speaker's messages may stand far behind.
NOMINATED_OF_SPEAKER = 500
RECENT_MESSAGES = 200
# A question of at most this many terms asks about the things that they name.
NAMING_TERMS = 2
# Kinds of which some are the user's, for all of the user's Beings.
USERS: tuple[Kind, ...] = ("fact", "vault")


@dataclass(frozen=True, slots=True)
class Candidates:
    """The documents to be ranked.

    Attributes:
        query: The query that they are compared with.
        rows: The candidates and their neighbours, in the order of their conversations.
        wanted: The documents that may be answered; the others are only looked at.
    """

    query: Query
    rows: Sequence[SearchCandidate]
    wanted: frozenset[int]

    def best(self, limit: int, apart_from: Collection[UUID] = ()) -> list[Ranked[SearchCandidate]]:
        """Return the best of the documents that may be answered, best first, apart from those of some items."""

        def is_wanted(row: SearchCandidate) -> bool:
            return row.document_id in self.wanted and row.item_id not in apart_from

        return ranking.ranked(self.query, self.rows, is_wanted, limit)


@dataclass(frozen=True, slots=True)
class LexicalEvidence:
    """The candidates and statistics that a question's words give, for which no embedding is needed.

    Attributes:
        query: The query that candidates are compared with.
        terms: The terms that are looked for.
        places: The documents that the words nominate.
    """

    query: Query
    terms: Sequence[Term]
    places: Sequence[int]


def lexical_evidence(
    tx: Transaction, being: Being, question: EverythingRequest, *, muted: bool = False
) -> LexicalEvidence:
    """Read a question, and nominate documents by its words; `tx` is one for which `plan_once` was called."""
    limit, scope = _limit(question), scope_of(being, question, muted=muted)
    names = known_candidates.speakers(tx, being.being_id, RECENT_MESSAGES)
    language = language_of(tx, being)
    terms, speakers = read(question.query, language, [*names, being.name])
    talk_scope, rest_scope = _talk(scope), _rest(scope)
    talk, talk_places = nominate_by_words(
        tx, talk_scope, [term for term in terms if not term.name] or terms, terms, limit
    )
    rest, rest_places = nominate_by_words(tx, rest_scope, terms, terms, limit)
    asks_for_talk = "message" in question.kinds
    mentions = _mentions(tx, talk_scope, terms, talk) if asks_for_talk else []
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
    return LexicalEvidence(query, terms, mentions + talk_places + rest_places)


def candidates(
    tx: Transaction,
    being: Being,
    question: EverythingRequest,
    query_vectors: QueryVectors,
    evidence: LexicalEvidence | None = None,
    *,
    muted: bool = False,
) -> Candidates:
    """The nominated documents, with their neighbours.

    Args:
        tx: The transaction.
        being: The Being.
        question: The question.
        query_vectors: Its vectors.
        evidence: The result of `lexical_evidence` for it, if that was called before.
        muted: Whether muted items are found too.
    """
    plan_once(tx)
    evidence = evidence or lexical_evidence(tx, being, question, muted=muted)
    scope = scope_of(being, question, muted=muted)
    talk_scope, rest_scope = _talk(scope), _rest(scope)
    places = [*evidence.places, *nominate_by_vectors(tx, talk_scope, rest_scope, query_vectors, _limit(question))]
    rows = known_candidates.load_candidates(
        tx,
        scope,
        list(dict.fromkeys(places)),
        [term.digest for term in evidence.terms],
        called=default_speakers(being),
        around=AROUND if talk_scope.kinds else 0,
        talk=query_vectors.talk,
        nodes=query_vectors.nodes,
        facts=query_vectors.facts,
    )
    return Candidates(evidence.query, rows, _wanted(rows, set(places), question))


def _limit(question: EverythingRequest) -> int:
    return NOMINATED_OF_SPEAKER if question.speaker else NOMINATED


def scope_of(being: Being, question: EverythingRequest, *, muted: bool) -> SearchScope:
    """The scope of a question; with `muted`, muted items are in it."""
    times = question.since, question.until, question.as_of
    return SearchScope(being.being_id, being.user_id, question.kinds, *times, muted=muted)


def _talk(scope: SearchScope) -> SearchScope:
    """The messages within reach; memories are ranked by the talk of their day too."""
    return replace(scope, kinds=["message"] if {"message", "node"} & {*scope.kinds} else [])


def _rest(scope: SearchScope) -> SearchScope:
    """All that is no message."""
    return replace(scope, kinds=[kind for kind in scope.kinds if kind != "message"])


def _wanted(rows: Sequence[SearchCandidate], places: AbstractSet[int], question: EverythingRequest) -> frozenset[int]:
    """Return the nominated documents of the time and speaker in question, and those near the words of some.

    The others only support these.
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


def _fits(row: SearchCandidate, question: EverythingRequest) -> bool:
    """Whether a document is of the time and the speaker that are asked about."""
    if question.since is not None and row.said_at < question.since:
        return False
    if question.until is not None and row.said_at >= question.until:
        return False
    if question.speaker is None:
        return True
    return row.speaker is not None and row.speaker.casefold() == question.speaker.strip().casefold()


def nominate_by_words(
    tx: Transaction, scope: SearchScope, telling: Sequence[Term], terms: Sequence[Term], limit: int
) -> tuple[ranking.Collection, list[int]]:
    """Return the BM25 statistics of a collection, and the documents in it with the significant terms, best first."""
    if not scope.kinds:
        return ranking.Collection([0.0] * len(terms), 1.0), []
    known = lexical.rarities(tx, scope, [term.digest for term in terms])
    rarities = {term.digest: rarity(known.documents, known.counts.get(term.digest, 0)) for term in terms}
    places = lexical.by_words(
        tx,
        scope,
        known,
        {term.digest: rarities[term.digest] for term in telling},
        saturation=SATURATION,
        length_weight=LENGTH_WEIGHT,
        limit=limit,
    )
    return ranking.Collection(list(rarities.values()), known.average), places


def nominate_by_vectors(
    tx: Transaction, talk: SearchScope, rest: SearchScope, query_vectors: QueryVectors, limit: int
) -> list[int]:
    """The documents that are nearest in meaning, of each kind of vectors."""
    found: list[int] = []
    if query_vectors.talk:
        owners = [
            (talk.being_id, talk.kinds),
            (rest.being_id, [one for one in rest.kinds if one != "node"]),
            (rest.user_id, [one for one in rest.kinds if one in USERS]),
        ]
        found += nearest.nearest_documents(tx, rest, [one for one in owners if one[1]], query_vectors.talk, limit)
    if query_vectors.nodes and "node" in rest.kinds:
        found += nearest.nearest_nodes(tx, rest, query_vectors.nodes, limit)
    if query_vectors.facts and "fact" in rest.kinds:
        found += nearest.nearest_facts(tx, rest, query_vectors.facts, limit)
    return found


def _mentions(tx: Transaction, talk: SearchScope, terms: Sequence[Term], known: ranking.Collection) -> list[int]:
    """Find the first and the last messages that name the subject of a question of one or two terms ("Who is Nora?")."""
    if not 0 < len(terms) <= NAMING_TERMS:
        return []
    # The rarest term first: the others are looked for in the documents that hold it.
    rarest = sorted(zip(known.rarities, terms, strict=True), key=lambda one: -one[0])
    return lexical.mentions(tx, talk, [term.digest for _, term in rarest])


def rarity(documents: int, having: int) -> float:
    """BM25's inverse document frequency, which is never negative."""
    return math.log(1 + (max(documents, having) - having + 0.5) / (having + 0.5))


def language_of(tx: Transaction, being: Being) -> str:
    """The language that the Being's words are stemmed in."""
    owner = documents.owner(tx, being.being_id)
    return owner.language if owner else DEFAULT


def default_speakers(being: Being) -> dict[str, str]:
    """Return the names of messages' speakers, by role, where the producer gave none: for the Being its name."""
    return {"assistant": being.name, "user": "user"}


def speaker_of(being: Being, speaker: str | None, role: str) -> str | None:
    """The speaker of a message: as the producer named them, else by their role."""
    return speaker or default_speakers(being).get(role)


def _intervals(tx: Transaction, being: Being, question: EverythingRequest, language: str) -> list[Interval]:
    """The times that a question names, as seen from when it is asked."""
    asked_at = question.as_of or clock.now(tx)
    named = resolve_time_expressions(question.query, asked_at, users.get_user(tx, being.user_id).time_zone, language)
    return [Interval(one.start, one.end) for one in named]
