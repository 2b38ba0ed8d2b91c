"""Candidates for an answer, by words and by meaning, and what is known of each and of the messages around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from uuid import UUID

from psycopg.rows import args_row
from psycopg.types.json import Jsonb

from schemas.search import Kind
from store.nodes.embeddings import Vector, halfvec
from store.transaction import Transaction, value

# So many postings of a term are read, the latest; and so many of all the terms that nominate.
MOST_READ = 10_000
# Of what the rarest terms nominate, so many times the wanted number meets the other terms.
KEPT_PER_WANTED = 4
# Messages come in nearly as they are said; imports may not, and their first and last are looked for among so many.
NEAR_THE_ENDS = 200


@dataclass(frozen=True, slots=True)
class Within:
    """Where to look.

    Attributes:
        being_id: Whose search it is.
        user_id: Whose Being it is; what all of the user's Beings may see is the user's.
        kinds: What to look among.
        since: Only what was said then or later.
        until: Only what was said before.
        as_of: Only what had arrived by then.
    """

    being_id: UUID
    user_id: UUID
    kinds: Sequence[Kind]
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None

    @property
    def owners(self) -> list[UUID]:
        """Whose documents the Being may see."""
        return [self.being_id, self.user_id]

    @property
    def named(self) -> dict[str, object]:
        """As parameters of a statement."""
        return {
            "being": self.being_id,
            "user": self.user_id,
            "owners": self.owners,
            "kinds": list(self.kinds),
            "since": self.since,
            "until": self.until,
            "as_of": self.as_of,
        }


@dataclass(frozen=True, slots=True)
class Rarities:
    """How rare terms are among what the Being may see.

    Attributes:
        documents: How many documents there are.
        average: How many terms one has, on average.
        counts: In how many each term is; a term that is in none is left out.
    """

    documents: int
    average: float
    counts: dict[int, int]


@dataclass(frozen=True, slots=True)
class Meant:
    """A question's vector, and the model whose vectors it may be compared with."""

    model: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class Seen:
    """A document as it is ranked.

    Attributes:
        times: How often each term of the question occurs in it, in the question's order.
        length: How many terms it has.
        similarity: Its cosine similarity to the question; None where there is no telling.
        speaker: Who said it, as the producer named them, or as speakers of that role are called; None for what is no
            message, and for other roles.
    """

    document_id: int
    kind: Kind
    item_id: UUID
    session_id: UUID | None
    said_at: datetime
    question: bool
    length: int
    times: list[int]
    similarity: float | None
    speaker: str | None


def plan_once(tx: Transaction) -> None:
    """Let the statements of this transaction be planned once a connection, and read nothing but what indexes name.

    Planning them takes as long as they do. No table is read from end to end, for it holds all owners' rows; and
    starting parallel workers, or compiling a statement, takes as long as most of these run.
    """
    tx.execute(
        b"set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; set local jit = off;"
        b"set local max_parallel_workers_per_gather = 0",
        prepare=False,
    )


def rarities(tx: Transaction, within: Within, terms: Sequence[int]) -> Rarities:
    """How rare these terms are among what the Being may see of these kinds."""
    (totals,) = tx.execute(
        """
        select coalesce(sum(documents), 0) as documents, coalesce(sum(terms), 0) as terms
        from memory.search_statistics
        where owner_id = any(%(owners)s) and kind = any(%(kinds)s::memory.search_kind[])
        """,
        within.named,
    )
    rows = tx.execute(
        "select term, documents from memory.count_search_terms(%(owners)s, %(terms)s::bigint[], %(kinds)s)",
        {**within.named, "terms": list(terms)},
    )
    documents = int(totals["documents"])
    return Rarities(
        documents, float(totals["terms"]) / max(1, documents) or 1.0, {row["term"]: row["documents"] for row in rows}
    )


def by_words(
    tx: Transaction,
    within: Within,
    known: Rarities,
    weights: Mapping[int, float],
    *,
    saturation: float,
    length_weight: float,
    limit: int,
) -> list[int]:
    """The documents that hold these terms, best first by BM25.

    The rarest terms nominate, as many as take `MOST_READ` postings together; the others add to the score of what these
    nominated. A term that is more frequent than that on its own nominates its latest documents.

    Args:
        tx: The transaction.
        within: Where to look.
        known: How rare the terms are.
        weights: The weight of each term.
        saturation: BM25's own.
        length_weight: BM25's own.
        limit: How many documents, at most.
    """
    terms = sorted((term for term in weights if term in known.counts), key=lambda term: known.counts[term])
    if not terms:
        return []
    read = accumulate(known.counts[term] for term in terms)
    leading = max(1, sum(postings <= MOST_READ for postings in read))
    rows = tx.execute(
        """
        select document_id
        from memory.rank_by_words(
            %(owners)s, %(terms)s::bigint[], %(weights)s::double precision[], %(leading)s, %(kinds)s, %(average)s,
            %(saturation)s, %(length_weight)s, %(since)s, %(until)s, %(as_of)s, %(most)s, %(kept)s, %(limit)s
        )
        """,
        {
            **within.named,
            "terms": terms,
            "weights": [weights[term] for term in terms],
            "leading": leading,
            "average": known.average,
            "saturation": saturation,
            "length_weight": length_weight,
            "most": MOST_READ,
            "kept": KEPT_PER_WANTED * limit,
            "limit": limit,
        },
    )
    return [row["document_id"] for row in rows]


def told_like(tx: Transaction, owner_id: UUID, within: Within, meant: Meant, limit: int) -> list[int]:
    """An owner's nearest messages, summaries, days and records, nearest first."""
    rows = tx.execute(
        """
        select document_id
        from memory.nearest_told(
            %(owner)s, %(model)s, %(kinds)s::memory.search_kind[], %(since)s, %(until)s, %(as_of)s,
            %(query)s::halfvec, %(limit)s
        )
        """,
        {**within.named, "owner": owner_id, "model": meant.model, "query": halfvec(meant.vector), "limit": limit},
    )
    return [row["document_id"] for row in rows]


def nodes_like(tx: Transaction, within: Within, meant: Meant, limit: int) -> list[int]:
    """The nearest nodes that are neither forgotten nor part of another by now, nearest first."""
    rows = tx.execute(
        """
        select d.document_id
        from (
            select node_id, distance
            from memory.nearest_nodes(
                %(being)s, %(model)s, %(query)s::halfvec, false,
                -- When a node happened is told by its document alone.
                case
                    when %(since)s::timestamptz is null and %(until)s::timestamptz is null
                        and %(as_of)s::timestamptz is null
                    then %(limit)s
                end
            )
        ) as n,
        lateral (
            select d.document_id
            from memory.search_documents as d
            where d.owner_id = %(being)s and d.kind = 'node' and d.item_id = n.node_id
                and (%(since)s::timestamptz is null or d.said_at >= %(since)s)
                and (%(until)s::timestamptz is null or d.said_at < %(until)s)
                and (%(as_of)s::timestamptz is null or d.arrived_at <= %(as_of)s)
            limit 1
        ) as d
        order by n.distance
        limit %(limit)s
        """,
        {**within.named, "model": meant.model, "query": halfvec(meant.vector), "limit": limit},
    )
    return [row["document_id"] for row in rows]


def facts_like(tx: Transaction, within: Within, meant: Meant, limit: int) -> list[int]:
    """The nearest facts that the Being knows, nearest first."""
    rows = tx.execute(
        """
        select d.document_id
        from memory.fact_vectors as v
        join memory.search_documents as d
            on d.owner_id = any(%(owners)s) and d.kind = 'fact' and d.item_id = v.fact_id
        where v.user_id = %(user)s and v.embedding_model = %(model)s
            and (%(since)s::timestamptz is null or d.said_at >= %(since)s)
            and (%(until)s::timestamptz is null or d.said_at < %(until)s)
            and (%(as_of)s::timestamptz is null or d.arrived_at <= %(as_of)s)
        order by v.vector <=> %(query)s::halfvec
        limit %(limit)s
        """,
        {**within.named, "model": meant.model, "query": halfvec(meant.vector), "limit": limit},
    )
    return [row["document_id"] for row in rows]


def seen(
    tx: Transaction,
    within: Within,
    places: Sequence[int],
    terms: Sequence[int],
    *,
    called: Mapping[str, str],
    around: int,
    told: Meant | None,
    nodes: Meant | None,
    facts: Meant | None,
) -> list[Seen]:
    """What is known of these documents, and of up to `around` messages before and after each message among them.

    `called` has a name for each role whose messages may come without a speaker's name.

    The rows come in the order of their conversations: what stands side by side in a conversation does so here, as far
    as both are within reach of a document that was asked for.
    """
    with tx.cursor(row_factory=args_row(Seen)) as cursor:
        return cursor.execute(
            # Each row is looked up by its key: no plan that was made for few may read whole tables for many.
            """
            with asked as materialized (
                select d.*
                from unnest(%(places)s::bigint[]) as place (document_id),
                lateral (
                    select d.owner_id, d.document_id, d.session_id, d.said_at, d.item_id
                    from memory.search_documents as d
                    where d.owner_id = any(%(owners)s) and d.document_id = place.document_id
                    limit 1
                ) as d
            ),
            reached as materialized (
                select owner_id, document_id from asked
                union
                select near.owner_id, near.document_id
                from asked,
                lateral (
                    (
                        select d.owner_id, d.document_id
                        from memory.search_documents as d
                        where d.owner_id = asked.owner_id and d.session_id = asked.session_id
                            and (d.said_at, d.item_id) < (asked.said_at, asked.item_id)
                            and (%(as_of)s::timestamptz is null or d.arrived_at <= %(as_of)s)
                        order by d.said_at desc, d.item_id desc
                        limit %(around)s
                    )
                    union all
                    (
                        select d.owner_id, d.document_id
                        from memory.search_documents as d
                        where d.owner_id = asked.owner_id and d.session_id = asked.session_id
                            and (d.said_at, d.item_id) > (asked.said_at, asked.item_id)
                            and (%(as_of)s::timestamptz is null or d.arrived_at <= %(as_of)s)
                        order by d.said_at, d.item_id
                        limit %(around)s
                    )
                ) as near
            )
            select d.document_id, d.kind::text as kind, d.item_id, d.session_id, d.said_at, d.question,
                cardinality(d.terms) as length,
                array(
                    select cardinality(array_positions(d.terms, asked.term))
                    from unnest(%(terms)s::bigint[]) with ordinality as asked (term, place)
                    order by asked.place
                ) as times,
                nullif(
                    case d.kind
                        when 'node' then (
                            select 1 - (n.vector <=> %(nodes)s::halfvec)
                            from memory.memory_nodes as n
                            where n.being_id = d.owner_id and n.node_id = d.item_id
                                and n.embedding_model = %(nodes_model)s
                        )
                        when 'fact' then (
                            select 1 - (f.vector <=> %(facts)s::halfvec)
                            from memory.fact_vectors as f
                            where f.user_id = %(user)s and f.fact_id = d.item_id
                                and f.embedding_model = %(facts_model)s
                        )
                        else (
                            select -(v.vector <#> %(told)s::halfvec)
                            from memory.search_vectors as v
                            where v.owner_id = d.owner_id and v.embedding_model = %(told_model)s
                                and v.document_id = d.document_id
                        )
                    end,
                    'NaN'
                ) as similarity,
                said.speaker
            from reached,
            lateral (
                select d.*
                from memory.search_documents as d
                where d.owner_id = reached.owner_id and d.document_id = reached.document_id
                limit 1
            ) as d
            left join lateral (
                select coalesce(m.speaker, %(called)s::jsonb ->> m.role) as speaker
                from memory.messages as m
                where d.kind = 'message' and m.being_id = d.owner_id and m.message_id = d.item_id
                limit 1
            ) as said on true
            where d.kind <> 'node' or exists (
                select from memory.memory_nodes as n
                where n.being_id = d.owner_id and n.node_id = d.item_id and n.forgotten_at is null
                    and n.absorbed_into is null
            )
            order by d.session_id, d.said_at, d.item_id
            """,
            {
                **within.named,
                "places": list(places),
                "terms": list(terms),
                "called": Jsonb(called),
                "around": around,
                "told": told and halfvec(told.vector),
                "told_model": told and told.model,
                "nodes": nodes and halfvec(nodes.vector),
                "nodes_model": nodes and nodes.model,
                "facts": facts and halfvec(facts.vector),
                "facts_model": facts and facts.model,
            },
            binary=True,
        ).fetchall()


def speakers(tx: Transaction, being_id: UUID, latest: int) -> list[str]:
    """Who is named as a speaker of the latest messages."""
    rows = tx.execute(
        """
        select distinct speaker
        from (
            select speaker from memory.messages where being_id = %s order by message_id desc limit %s
        ) as recent
        where speaker is not null
        order by speaker
        """,
        [being_id, latest],
    )
    return [row["speaker"] for row in rows]


def facts_model(tx: Transaction, user_id: UUID) -> str | None:
    """The model whose vectors serve the user's facts; None until there are any."""
    model: str | None = value(tx, "select embedding_model from memory.fact_states where user_id = %s", [user_id])
    return model


def time_zone(tx: Transaction, user_id: UUID) -> str:
    """The user's time zone."""
    return str(value(tx, "select time_zone from memory.users where user_id = %s", [user_id]))


def evidence(tx: Transaction, user_id: UUID, being_id: UUID, fact_ids: Sequence[UUID]) -> set[UUID]:
    """The messages to this Being that facts rest on."""
    rows = tx.execute(
        """
        select e.message_id
        from memory.fact_statements as s
        join memory.fact_evidence as e using (user_id, statement_id)
        where s.user_id = %s and s.fact_id = any(%s) and s.replaced_by is null and e.being_id = %s
            and e.message_id is not null
        """,
        [user_id, list(fact_ids), being_id],
    )
    return {row["message_id"] for row in rows}


def mentions(tx: Transaction, within: Within, terms: Sequence[int]) -> list[int]:
    """The first and the last message in which all of these terms stand, among the first and the last that came in."""
    rows = tx.execute(
        """
        with holding as (
            select p.document_id, d.said_at, d.item_id
            from memory.search_postings as p
            join memory.search_documents as d using (owner_id, document_id)
            where p.owner_id = %(being)s and p.term = %(first)s and p.kind = 'message'
                and d.terms @> %(terms)s::bigint[]
                and (%(since)s::timestamptz is null or d.said_at >= %(since)s)
                and (%(until)s::timestamptz is null or d.said_at < %(until)s)
                and (%(as_of)s::timestamptz is null or d.arrived_at <= %(as_of)s)
        ),
        ends as materialized (
            (select * from holding order by document_id limit %(near)s)
            union
            (select * from holding order by document_id desc limit %(near)s)
        )
        (select document_id from ends order by said_at, item_id limit 1)
        union
        (select document_id from ends order by said_at desc, item_id desc limit 1)
        """,
        {**within.named, "first": terms[0], "terms": list(terms), "near": NEAR_THE_ENDS},
    )
    return [row["document_id"] for row in rows]
