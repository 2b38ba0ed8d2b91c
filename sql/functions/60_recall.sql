-- Finding nodes. Nothing here changes anything; activation follows, where the caller wants it.

-- The name of the index that a very large Being has for its own vectors (`nodes`, or `told`), of one model and length.
create or replace function vector_index_name(p_of text, p_owner_id uuid, p_model text, p_dimensions integer) returns text
language sql immutable strict
return format(
    '%s_hnsw_%s_%s', p_of, replace(p_owner_id::text, '-', ''), left(md5(format('%s/%s', p_dimensions, p_model)), 12)
);

-- Whether there is such an index that serves: not one that is being built, or that a kill left half built.
create or replace function has_vector_index(p_of text, p_owner_id uuid, p_model text, p_dimensions integer) returns boolean
language sql stable
return exists (
    select from pg_catalog.pg_index
    where indexrelid = to_regclass('memory.' || memory.vector_index_name(p_of, p_owner_id, p_model, p_dimensions))
        and indisvalid
);

-- The indexes that owners with at least p_least vectors of a kind should have (memory/search/vector_indexes.py).
create or replace function wanted_vector_indexes(p_least bigint)
returns table (of text, owner_id uuid, embedding_model text, dimensions integer, name text) language sql stable as $$
    select large.*, memory.vector_index_name(large.of, large.owner_id, large.embedding_model, large.dimensions)
    from (
        select 'told' as of, o.owner_id, o.embedding_model, first.dimensions
        from memory.search_owners as o,
        lateral (
            select vector_dims(v.vector) as dimensions
            from memory.search_vectors as v
            where v.owner_id = o.owner_id and v.embedding_model = o.embedding_model
            limit 1
        ) as first
        where p_least <= (
            select sum(s.documents) from memory.search_statistics as s
            where s.owner_id = o.owner_id and s.kind not in ('node', 'fact')
        )
        union all
        select 'nodes', b.being_id, b.embedding_model, first.dimensions
        from memory.search_statistics as s
        join memory.beings as b on b.being_id = s.owner_id,
        lateral (
            select vector_dims(n.vector) as dimensions
            from memory.memory_nodes as n
            where n.being_id = b.being_id and n.embedding_model = b.embedding_model
            limit 1
        ) as first
        where s.kind = 'node' and s.documents >= p_least
    ) as large;
$$;

-- Nodes nearest to a vector of the same model by cosine distance, nearest first: the living, or else all that are neither
-- forgotten nor part of another. By the Being's own index if it has one, which may miss some; else all are compared.
-- An index gives its rows in order: where there is one, no plan may compare all and sort them.
create or replace function nearest_nodes(
    p_being_id uuid, p_model text, p_query halfvec, p_living boolean, p_limit integer
) returns table (node_id uuid, distance double precision) language plpgsql stable
set hnsw.ef_search = 200 set hnsw.iterative_scan = 'strict_order' set enable_sort = off as $$
declare
    v_dimensions constant integer := vector_dims(p_query);
begin
    if p_limit is not null and memory.has_vector_index('nodes', p_being_id, p_model, v_dimensions) then
        -- The index serves no plan that has parameters in the place of its condition.
        return query execute format(
            $nearest$
            select n.node_id, n.vector::halfvec(%1$s) <=> $1::halfvec(%1$s) as distance
            from memory.memory_nodes as n
            where n.being_id = %2$L and n.embedding_model = %3$L and vector_dims(n.vector) = %1$s
                and case when $2 then n.status <> 'dead' else n.forgotten_at is null and n.absorbed_into is null end
            order by distance
            limit $3
            $nearest$,
            v_dimensions, p_being_id, p_model
        ) using p_query, p_living, p_limit;
    else
        return query
        select n.node_id, n.vector <=> p_query as distance
        from memory.memory_nodes as n
        where n.being_id = p_being_id and n.embedding_model = p_model
            and case when p_living then n.status <> 'dead' else n.forgotten_at is null and n.absorbed_into is null end
        order by distance, n.node_id
        limit p_limit;
    end if;
end $$;

-- Living nodes nearest to a vector of the same model, cosine similarity at least the threshold (the seed's RPC).
create or replace function match_nodes(
    p_being_id uuid, p_embedding_model text, p_query halfvec, p_threshold double precision, p_limit integer
) returns table (node_id uuid, similarity double precision) language sql stable as $$
    select nearest.node_id, 1 - nearest.distance as similarity
    from memory.nearest_nodes(p_being_id, p_embedding_model, p_query, true, p_limit) as nearest
    -- A vector without direction is like nothing: its similarity is NaN, which Postgres holds greater than 1.
    where 1 - nearest.distance between p_threshold and 1;
$$;

-- The texts of a scene's timeline: plain dates, and the date and action of its entries, each on a line of its own.
create or replace function when_text(p_scene jsonb) returns text language sql immutable parallel safe
return (
    select string_agg(
        case jsonb_typeof(item) when 'object' then concat_ws(E'\n', item ->> 'date', item ->> 'action') else item #>> '{}' end,
        E'\n'
    )
    from jsonb_array_elements(p_scene -> 'when') as item
);

-- What a search to the letter looks at: action, feeling and timeline in lower case, and the themes as they are.
create or replace function keep_words_of_new_nodes() returns trigger language plpgsql as $$
begin
    insert into memory.node_words (being_id, node_id, words, themes)
    select being_id, node_id, lower(concat_ws(E'\n', scene ->> 'action', feeling, memory.when_text(scene))), themes
    from new_rows;
    return null;
end $$;
create or replace trigger node_words_of_new after insert on memory_nodes
    referencing new table as new_rows for each statement execute function keep_words_of_new_nodes();

create or replace function keep_words_of_changed_node() returns trigger language plpgsql as $$
begin
    update memory.node_words
    set words = lower(concat_ws(E'\n', new.scene ->> 'action', new.feeling, memory.when_text(new.scene))),
        themes = new.themes
    where being_id = new.being_id and node_id = new.node_id;
    return null;
end $$;
create or replace trigger node_words_of_changed after update of scene, feeling, themes on memory_nodes
    for each row execute function keep_words_of_changed_node();

-- Nodes, dead ones too, that answer any of the terms, or with p_all every one: a theme whole and to the letter, the text
-- fields as substrings whatever the case. Most terms first, then what weighs most.
-- The terms are counted over a narrow table, and the weights come from an index that covers them: no node is read.
create or replace function search_nodes(p_being_id uuid, p_terms text[], p_all boolean, p_living boolean, p_limit integer)
returns table (node_id uuid, terms integer) language plpgsql stable as $$
declare
    v_parts constant text[] := array(
        select lower(term) from unnest(p_terms) with ordinality as asked (term, place) order by place
    );
    -- Written out term by term: a subquery for each node costs ten times the comparison.
    v_met constant text := (
        select string_agg(
            format('(strpos(w.words, $3[%1$s]) > 0 or $2[%1$s] = any(w.themes))::integer', place), ' + ' order by place
        )
        from generate_subscripts(p_terms, 1) as place
    );
begin
    return query execute format(
        $search$
        select n.node_id, met.terms
        from (select w.node_id, %s as terms from memory.node_words as w where w.being_id = $1 offset 0) as met
        join memory.memory_nodes as n on n.being_id = $1 and n.node_id = met.node_id
        join memory.beings as b on b.being_id = n.being_id
        where met.terms >= $4 and n.forgotten_at is null and (n.status <> 'dead' or not $5)
        order by met.terms desc,
            memory.effective_importance(
                n.importance, coalesce(b.patrol_counter - n.session_count_base, n.final_session_count), n.pinned
            ) desc,
            n.created_at desc, n.node_id
        limit $6
        $search$,
        v_met
    ) using p_being_id, p_terms, v_parts, case when p_all then cardinality(p_terms) else 1 end, p_living, p_limit;
end $$;
