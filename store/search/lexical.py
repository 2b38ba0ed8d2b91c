"""Candidates by words: BM25 over the postings of the query's terms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from store.search.scope import IN_TIME, TELLABLE, SearchScope
from store.transaction import Transaction

# The postings that are read of one term, the latest; and of all the terms that nominate together.
MOST_READ = 10_000
# Of the documents that the rarest terms nominate, this multiple of the limit meets the other terms.
KEPT_PER_WANTED = 4
# Messages come in nearly in order of their times; imports may not, and their ends are looked for among this many.
NEAR_THE_ENDS = 200

_AMONG_KNOWLEDGE = """
    select p.document_id
    from unnest(%(terms)s::bigint[], %(weights)s::double precision[]) as asked (term, weight)
    join memory.search_postings as p
        on p.owner_id = %(being)s and p.kind = 'knowledge' and p.term = asked.term
    join memory.search_documents as d on d.owner_id = p.owner_id and d.document_id = p.document_id
    join memory.keyed_knowledge(%(being)s, %(from)s, %(to)s, %(equal)s, %(filter)s) as n
        on n.note_id = d.item_id
    group by p.document_id
    order by sum(asked.weight * p.times * (%(saturation)s + 1)
        / (p.times + %(saturation)s * (1 - %(length_weight)s + %(length_weight)s * p.length / %(average)s))) desc,
        p.document_id desc
    limit %(limit)s
    """


@dataclass(frozen=True, slots=True)
class Rarities:
    """How rare terms are among the documents that the Being may see.

    Attributes:
        documents: How many documents there are.
        average: How many terms one has, on average.
        counts: In how many each term is; a term that is in none is left out.
    """

    documents: int
    average: float
    counts: dict[int, int]


def rarities(tx: Transaction, scope: SearchScope, terms: Sequence[int]) -> Rarities:
    """How rare these terms are among the documents of these kinds that the Being may see."""
    rows = tx.execute(
        """
        select null::bigint as term, coalesce(sum(documents), 0)::bigint as documents,
            coalesce(sum(terms), 0)::bigint as terms
        from memory.search_statistics
        where owner_id = any(%(owners)s) and kind = any(%(kinds)s::memory.search_kind[])
        union all
        select term, documents, null from memory.count_search_terms(%(owners)s, %(asked)s::bigint[], %(kinds)s)
        """,
        {**scope.named, "asked": list(terms)},
    ).fetchall()
    counts = {row["term"]: row for row in rows}
    totals = counts.pop(None)
    return Rarities(
        totals["documents"],
        totals["terms"] / max(1, totals["documents"]) or 1.0,
        {term: row["documents"] for term, row in counts.items()},
    )


def by_words(
    tx: Transaction,
    scope: SearchScope,
    known: Rarities,
    weights: Mapping[int, float],
    *,
    saturation: float,
    length_weight: float,
    limit: int,
) -> list[int]:
    """The documents that hold these terms, best first by BM25.

    The rarest terms nominate, as many as take `MOST_READ` postings together; the others add to the score of the
    nominated documents. A term with more postings than that nominates its latest documents. Among knowledge under
    keys all terms nominate: a filter may leave few of their documents.

    Args:
        tx: The transaction.
        scope: The documents to search.
        known: How rare the terms are.
        weights: The weight of each term.
        saturation: BM25's own.
        length_weight: BM25's own.
        limit: How many documents, at most.
    """
    terms = sorted((term for term in weights if term in known.counts), key=lambda term: known.counts[term])
    if not terms:
        return []
    parameters = {
        **scope.named,
        "terms": terms,
        "weights": [weights[term] for term in terms],
        "average": known.average,
        "saturation": saturation,
        "length_weight": length_weight,
        "limit": limit,
    }
    if scope.among:
        return tx.column(_AMONG_KNOWLEDGE, parameters)
    read = accumulate(known.counts[term] for term in terms)
    leading = max(1, sum(postings <= MOST_READ for postings in read))
    return tx.column(
        """
        select document_id
        from memory.rank_by_words(
            %(owners)s, %(terms)s::bigint[], %(weights)s::double precision[], %(leading)s, %(kinds)s, %(average)s,
            %(saturation)s, %(length_weight)s, %(since)s, %(until)s, %(as_of)s, %(muted)s,
            %(most)s, %(kept)s, %(limit)s
        )
        """,
        {**parameters, "leading": leading, "most": MOST_READ, "kept": KEPT_PER_WANTED * limit},
    )


def mentions(tx: Transaction, scope: SearchScope, terms: Sequence[int]) -> list[int]:
    """The first and the last message in which all of these terms stand, among the first and the last that came in."""
    return tx.column(
        f"""
        with holding as (
            select p.document_id, d.said_at, d.item_id
            from memory.search_postings as p
            join memory.search_documents as d using (owner_id, document_id)
            where p.owner_id = %(being)s and p.term = %(first)s and p.kind = 'message'
                and d.terms @> %(terms)s::bigint[]
                and {IN_TIME} and {TELLABLE}
        ),
        ends as materialized (
            (select * from holding order by document_id limit %(near)s)
            union
            (select * from holding order by document_id desc limit %(near)s)
        )
        (select document_id from ends order by said_at, item_id limit 1)
        union
        (select document_id from ends order by said_at desc, item_id desc limit 1)
        """,  # noqa: S608  # of constants
        {**scope.named, "first": terms[0], "terms": list(terms), "near": NEAR_THE_ENDS},
    )
