"""Search over knowledge under keys: in a namespace, by a filter on its fields, best first or newest first.

What was put is found in the next search: what the index does not hold yet is read as it is, and what a query neither
names nor means comes behind what it does, as callers of a key-value store expect of a search within a namespace.
"""

from collections import Counter
from uuid import UUID

from memory.search import ranking
from memory.search.candidates import Understood, language_of, rarity
from memory.search.indexing import CHARACTERS_INDEXED
from memory.search.questions import Term, read
from memory.search.ranking import LENGTH_WEIGHT, SATURATION, Query, ranked
from memory.search.search import understand
from memory.search.terms import digest
from memory.search.terms import terms as terms_of
from providers.embedders import Embedders
from schemas.accounts.accounts import Being
from schemas.intake.knowledge import KeyedKnowledge, KnowledgeFound, KnowledgeQuestion
from store.database import Store
from store.intake.keyed_knowledge import by_ids
from store.search import candidates, keyed_knowledge, lexical, scope
from store.search.candidates import Seen
from store.search.keyed_knowledge import Among
from store.search.scope import Within
from store.transaction import Transaction

# So much of what waits to be indexed is read for a search; it is indexed within a second.
MOST_UNINDEXED = 200


def search(store: Store, embedders: Embedders, being: Being, question: KnowledgeQuestion) -> KnowledgeFound:
    """Search, by words alone and marked `degraded` while the embedder is out of reach.

    Raises:
        InvalidRequest: The embedder refuses the query.
    """
    among = Among(being.being_id, question.namespace_prefix, question.filter or {})
    asks = bool(question.query and question.query.strip())
    understood = understand(store, embedders, being, question.query or "", ["knowledge"]) if asks else None
    with store.transaction() as tx:
        scores = _ranked(tx, being, among, question, understood) if understood else {}
        best = list(scores)[question.offset : question.offset + question.limit]
        rest = keyed_knowledge.newest(
            tx, among, list(scores), question.limit - len(best), max(0, question.offset - len(scores))
        )
        ids = [*best, *rest]
        found = by_ids(tx, being.being_id, ids)
    return KnowledgeFound(
        items=[
            KeyedKnowledge(
                namespace=found[note_id].namespace,
                key=found[note_id].key,
                value=found[note_id].value,
                created_at=found[note_id].created_at,
                updated_at=found[note_id].updated_at,
                score=scores.get(note_id),
            )
            for note_id in ids
        ],
        degraded=understood is not None and understood.degraded,
    )


def _ranked(
    tx: Transaction, being: Being, among: Among, question: KnowledgeQuestion, understood: Understood
) -> dict[UUID, float]:
    """The ids of what answers the question, best first, with their scores."""
    scope.plan_once(tx)
    limit = question.offset + question.limit
    within = Within(being.being_id, being.user_id, ["knowledge"])
    language = language_of(tx, being)
    terms, _ = read(question.query or "", language, [])
    # First: what is indexed meanwhile is found in both, and otherwise it would be in neither.
    fresh = _unindexed(tx, among, terms, language)
    known = lexical.rarities(tx, within, [term.digest for term in terms])
    weights = {term.digest: rarity(known.documents, known.counts.get(term.digest, 0)) for term in terms}
    places = keyed_knowledge.by_words(
        tx, among, known, weights, saturation=SATURATION, length_weight=LENGTH_WEIGHT, limit=limit
    )
    if told := understood.told:
        for vector in told.vectors:
            places += keyed_knowledge.by_meaning(tx, among, told.model, vector, limit)
    rows = candidates.seen(
        tx,
        within,
        list(dict.fromkeys(places)),
        [term.digest for term in terms],
        called={},
        around=0,
        told=understood.told,
        nodes=None,
        facts=None,
    )
    new = {row.item_id for row in fresh}
    rows = [row for row in rows if row.item_id not in new] + fresh
    collection = ranking.Collection(list(weights.values()), known.average)
    query = Query(
        talk=collection,
        rest=collection,
        apart=False,
        names=[False for _ in terms],
        speakers=frozenset(),
        mentions=frozenset(),
        intervals=[],
    )
    return {one.seen.item_id: one.score for one in ranked(query, rows, lambda _: True, limit) if one.score > 0}


def _unindexed(tx: Transaction, among: Among, terms: list[Term], language: str) -> list[Seen]:
    """What waits to be indexed, as the index would hold it."""
    made = list[Seen]()
    for place, one in enumerate(keyed_knowledge.unindexed(tx, among, MOST_UNINDEXED)):
        held = Counter(digest(term) for term in terms_of(one.text[:CHARACTERS_INDEXED], language))
        made.append(
            Seen(
                document_id=-1 - place,
                kind="knowledge",
                item_id=one.note_id,
                session_id=None,
                said_at=one.at,
                question=False,
                length=held.total(),
                times=[held[term.digest] for term in terms],
                similarity=None,
                starts_at=None,
                speaker=None,
            )
        )
    return made
