-- Candidates for an answer: by words, and by meaning. Nothing here changes anything.

-- In how many documents of these kinds each term is.
create or replace function count_search_terms(p_owners uuid[], p_terms bigint[], p_kinds search_kind[])
returns table (term bigint, documents bigint) language sql stable as $$
    select asked.term, sum(t.documents)::bigint
    from unnest(p_terms) as asked (term), unnest(p_owners) as owner (owner_id), unnest(p_kinds) as of_kind (kind),
    memory.search_terms as t
    where t.owner_id = owner.owner_id and t.kind = of_kind.kind and t.term = asked.term
    group by asked.term;
$$;

-- The documents of these owners and kinds that hold one of these terms, best first by BM25 (Robertson and Zaragoza, "The
-- Probabilistic Relevance Framework", 2009), with the terms' rarities as given.
-- Muted documents are found with p_muted alone. It runs with the rights of the tables' owner, for the index of postings is asked
-- by their kind (05_keys_past_policies.sql).
-- The leading terms, p_leading in number, nominate: each at most the p_most of its documents of an owner and kind that
-- came last. The others only add to the score of the p_kept documents that lead until then.
create or replace function rank_by_words(
    p_owners uuid[], p_terms bigint[], p_rarities double precision[], p_leading integer, p_kinds search_kind[],
    p_average double precision, p_saturation double precision, p_length_weight double precision,
    p_since timestamptz, p_until timestamptz, p_as_of timestamptz, p_muted boolean, p_most integer, p_kept integer,
    p_limit integer
) returns table (owner_id uuid, document_id bigint, score double precision) language sql stable
security definer set search_path = pg_catalog, pg_temp as $$
    with nominated as materialized (
        select p.owner_id, p.document_id, p.kind, p.length,
            sum(asked.rarity * p.times * (p_saturation + 1)
                / (p.times + p_saturation * (1 - p_length_weight + p_length_weight * p.length / p_average))) as score
        from unnest(p_terms[:p_leading], p_rarities[:p_leading]) as asked (term, rarity),
            unnest(p_owners) as owner (owner_id), unnest(p_kinds) as of_kind (kind),
        lateral (
            select p.owner_id, p.document_id, p.kind, p.times, p.length
            from memory.search_postings as p
            where p.owner_id = owner.owner_id and p.kind = of_kind.kind and p.term = asked.term
                and (
                    p_muted
                    or (p.owner_id, p.document_id) not in (
                        select muted.owner_id, muted.document_id from memory.muted_documents(p_owners) as muted
                    )
                )
                and (
                    p_since is null and p_until is null and p_as_of is null
                    or exists (
                        select
                        from memory.search_documents as d
                        where d.owner_id = p.owner_id and d.document_id = p.document_id
                            and (p_since is null or d.said_at >= p_since)
                            and (p_until is null or d.said_at < p_until)
                            and (p_as_of is null or d.arrived_at <= p_as_of)
                    )
                )
            order by p.document_id desc
            limit p_most
        ) as p
        group by p.owner_id, p.document_id, p.kind, p.length
        order by score desc, p.document_id desc
        limit p_kept
    )
    select l.owner_id, l.document_id, l.score + coalesce(others.score, 0) as score
    from nominated as l,
    lateral (
        select sum(asked.rarity * p.times * (p_saturation + 1)
            / (p.times + p_saturation * (1 - p_length_weight + p_length_weight * p.length / p_average))) as score
        from unnest(p_terms[p_leading + 1:], p_rarities[p_leading + 1:]) as asked (term, rarity),
        -- One lookup a term: a join may read all terms of a document, which skips through the index of its owner.
        lateral (
            select p.times, p.length
            from memory.search_postings as p
            where p.owner_id = l.owner_id and p.kind = l.kind and p.term = asked.term and p.document_id = l.document_id
            limit 1
        ) as p
    ) as others
    order by score desc, l.document_id desc
    limit p_limit;
$$;

-- An owner's documents of these kinds whose vectors are nearest to a query's by inner product (they are of unit length), nearest
-- first: of a query with several vectors, and of a long text with several windows, the nearest two count. By the owner's own
-- index if it has one, which may miss some; else all are compared, once for all vectors of the query.
-- It runs with the rights of the tables' owner, as rank_by_words does: vectors of other kinds would be read else.
create or replace function nearest_told(
    p_owner_id uuid, p_model text, p_kinds search_kind[], p_since timestamptz, p_until timestamptz, p_as_of timestamptz,
    p_muted boolean, p_queries halfvec[], p_limit integer
) returns table (document_id bigint) language plpgsql stable
security definer set search_path = memory, public, pg_temp
set hnsw.ef_search = 200 set hnsw.iterative_scan = 'strict_order' as $$
declare
    v_dimensions constant integer := vector_dims(p_queries[1]);
    v_indexed constant boolean := memory.has_vector_index('told', p_owner_id, p_model, v_dimensions);
    v_muted constant bigint[] := case when p_muted then '{}' else array(
        select muted.document_id from memory.muted_documents(array[p_owner_id]) as muted
    ) end;
    v_distances text;
    v_statement text;
    v_most integer := 2 * p_limit;
    v_windows bigint[];
    v_documents bigint[];
begin
    if v_indexed then
        v_statement := format(
            $nearest$
            select array(
                select near.document_id
                from unnest($1) as asked (vector),
                lateral (
                    select v.document_id, v.vector::halfvec(%1$s) <#> asked.vector::halfvec(%1$s) as distance
                    from memory.search_vectors as v
                    where v.owner_id = %2$L and v.embedding_model = %3$L and vector_dims(v.vector) = %1$s
                        and v.kind = any($2)
                        and ($3 is null or v.said_at >= $3)
                        and ($4 is null or v.said_at < $4)
                        and ($5 is null or v.arrived_at <= $5)
                        and v.document_id <> all($7)
                    order by v.vector::halfvec(%1$s) <#> asked.vector::halfvec(%1$s)
                    limit $6
                ) as near
                order by near.distance
                limit $6
            )
            $nearest$,
            v_dimensions, p_owner_id, p_model
        );
    else
        select string_agg(format('v.vector <#> $1[%s]', place), ', ') into v_distances
        from generate_subscripts(p_queries, 1) as place;
        v_statement := format(
            $nearest$
            select array(
                select v.document_id
                from memory.search_vectors as v
                where v.owner_id = %L and v.embedding_model = %L and v.kind = any($2)
                    and ($3 is null or v.said_at >= $3)
                    and ($4 is null or v.said_at < $4)
                    and ($5 is null or v.arrived_at <= $5)
                    and v.document_id <> all($7)
                order by least(%s)
                limit $6
            )
            $nearest$,
            p_owner_id, p_model, v_distances
        );
    end if;
    loop
        execute v_statement into v_windows using p_queries, p_kinds, p_since, p_until, p_as_of, v_most, v_muted;
        v_documents := array(
            select near.document_id
            from unnest(v_windows) with ordinality as near (document_id, place)
            group by near.document_id
            order by min(near.place)
            limit p_limit
        );
        -- A few long texts may own most of the nearest windows; then more of these are looked at.
        exit when cardinality(v_documents) = p_limit or cardinality(v_windows) < v_most;
        v_most := 4 * v_most;
    end loop;
    return query select unnest(v_documents);
end $$;

-- Of each of these documents the window, or the one vector, that is nearest to any vector of a query, with its inner product. It
-- runs with the rights of the tables' owner, as nearest_told does. There are as many as are ranked, and few of them have none.
create or replace function nearest_windows(
    p_owner_ids uuid[], p_kinds search_kind[], p_document_ids bigint[], p_model text, p_queries halfvec[]
) returns table (document_id bigint, similarity double precision, starts_at integer) language sql stable
security definer set search_path = memory, public, pg_temp as $$
    select near.*
    from unnest(p_owner_ids, p_kinds, p_document_ids) as d (owner_id, kind, document_id),
    lateral (
        select v.document_id, -(v.vector <#> asked.vector) as similarity, v.starts_at
        from memory.search_vectors as v, unnest(p_queries) as asked (vector)
        where v.owner_id = d.owner_id and v.embedding_model = p_model and v.kind = d.kind
            and v.document_id = d.document_id
        order by v.vector <#> asked.vector
        limit 1
    ) as near;
$$;
