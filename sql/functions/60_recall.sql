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
            select vector_dims(v.vector) as dimensions
            from memory.node_vectors as v
            where v.being_id = b.being_id and v.embedding_model = b.embedding_model
            limit 1
        ) as first
        where s.kind = 'node' and s.documents >= p_least
    ) as large;
$$;

-- Documents of a kind that have windows, each with the cosine distance of its nearest one: of nodes and facts the long ones. It
-- runs with the rights of the tables' owner, and returns keys (65_search/05_keys_past_policies.sql): the vectors of all talk
-- would be read else.
create or replace function windows_of(p_owner_id uuid, p_model text, p_kind search_kind, p_query halfvec)
returns table (document_id bigint, distance double precision) language sql stable
security definer set search_path = memory, public, pg_temp as $$
    select v.document_id, min(v.vector <=> p_query)
    from memory.search_vectors as v
    where v.owner_id = p_owner_id and v.embedding_model = p_model and v.kind = p_kind
    group by v.document_id;
$$;

-- The long nodes whose windows are nearest to a vector of the same model by cosine distance, nearest first. Few nodes are
-- long: their windows stand together, and are all compared.
create or replace function nearest_windows_of_nodes(
    p_being_id uuid, p_model text, p_query halfvec, p_living boolean, p_limit integer
) returns table (node_id uuid, distance double precision) language sql stable as $$
    select n.node_id, near.distance
    from memory.windows_of(p_being_id, p_model, 'node', p_query) as near
    join lateral (
        select n.node_id
        from memory.search_documents as d
        join memory.memory_nodes as n on n.being_id = d.owner_id and n.node_id = d.item_id
        where d.owner_id = p_being_id and d.document_id = near.document_id
            and case when p_living then n.status <> 'dead' else n.forgotten_at is null and n.absorbed_into is null end
            and not memory.is_muted(n.being_id, 'node', n.node_id)
        limit 1
    ) as n on true
    order by near.distance
    limit p_limit;
$$;

-- Nodes nearest to a vector of the same model by cosine distance, nearest first: the living, or else all that are neither
-- forgotten nor part of another. By the Being's own index if it has one, which may miss some; else all are compared.
-- An index gives its rows in order: where there is one, no plan may compare all and sort them. Where all are compared, an
-- index leads to them in the order in which they are stored, which takes an eighth less than a bitmap or the whole table.
-- It is always that of vectors: a plan for given parameters may take the primary key, where few rows make them seem equal.
-- Without these settings a recall among 10,000 nodes takes a tenth longer (p95).
-- A long node is as near as its own vector, or the nearest of its windows. None is further away than p_furthest, where it is
-- given: most nodes are, and are dropped before they are sorted, for which each would be copied.
create or replace function nearest_nodes(
    p_being_id uuid, p_model text, p_query halfvec, p_living boolean, p_limit integer,
    p_furthest double precision default null
) returns table (node_id uuid, distance double precision) language plpgsql stable
set hnsw.ef_search = 200 set hnsw.iterative_scan = 'strict_order' set enable_sort = off
set enable_bitmapscan = off set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
    v_dimensions constant integer := vector_dims(p_query);
    -- Every living node stands. Both are conditions of the index: a row that does not match is not read.
    v_living constant boolean[] := case when p_living then '{t}' else '{t,f}' end;
    v_ids uuid[];
    v_distances double precision[];
begin
    if p_limit is not null and memory.has_vector_index('nodes', p_being_id, p_model, v_dimensions) then
        -- The index serves no plan that has parameters in the place of its condition.
        execute format(
            $nearest$
            select array_agg(own.node_id), array_agg(own.distance)
            from (
                select v.node_id, v.vector::halfvec(%1$s) <=> $1::halfvec(%1$s) as distance
                from memory.node_vectors as v
                where v.being_id = %2$L and v.embedding_model = %3$L and vector_dims(v.vector) = %1$s
                    and case when $2 then v.living else v.standing end
                order by distance
                limit $3
            ) as own
            $nearest$,
            v_dimensions, p_being_id, p_model
        ) into v_ids, v_distances using p_query, p_living, p_limit;
    else
        select array_agg(own.node_id), array_agg(own.distance) into v_ids, v_distances
        from (
            select compared.node_id, compared.distance
            from (
                select v.node_id, v.vector <=> p_query as distance
                from memory.node_vectors as v
                where v.being_id = p_being_id and v.embedding_model = p_model
                    and v.living = any(v_living) and v.standing
                -- Keeps the two queries apart: in one, distances would be computed for the condition and for the order, which
                -- takes a recall among 10,000 nodes an eighth longer.
                offset 0
            ) as compared
            where p_furthest is null or compared.distance <= p_furthest
            order by compared.distance, compared.node_id
            limit p_limit
        ) as own;
    end if;
    return query
    select near.node_id, min(near.distance) as distance
    from (
        select * from unnest(v_ids, v_distances) as own (node_id, distance)
        union all
        select long.node_id, long.distance
        from memory.nearest_windows_of_nodes(p_being_id, p_model, p_query, p_living, p_limit) as long
    ) as near
    where p_furthest is null or near.distance <= p_furthest
    group by near.node_id
    order by 2, 1
    limit p_limit;
end $$;

-- Living nodes nearest to a vector of the same model, cosine similarity at least the threshold (the seed's RPC).
create or replace function match_nodes(
    p_being_id uuid, p_embedding_model text, p_query halfvec, p_threshold double precision, p_limit integer
) returns table (node_id uuid, similarity double precision) language sql stable as $$
    select nearest.node_id, 1 - nearest.distance as similarity
    from memory.nearest_nodes(
        -- Rounding adds far less than this to the distance of a node at the threshold.
        p_being_id, p_embedding_model, p_query, true, p_limit, 1 - p_threshold + 1e-9
    ) as nearest
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

-- The signature of a text in UTF-8: of 1,024 bits those set for each three bytes in a row. A text that holds another has all
-- bits of its signature. It is a query, since a query becomes part of the one that asks it; a call costs more than the rest.
create or replace function words_signature(p_text bytea) returns table (signature bit(1024))
language sql immutable parallel safe as $$
    select coalesce(
        bit_or(set_bit(
            repeat('0', 1024)::bit(1024),
            (7919 * get_byte(p_text, place) + 613 * get_byte(p_text, place + 1) + 47 * get_byte(p_text, place + 2)) & 1023,
            1
        )),
        repeat('0', 1024)::bit(1024)
    )
    from generate_series(0, length(p_text) - 3) as place;
$$;

-- The texts of a search to the letter: action, feeling and timeline in lower case, the themes unchanged, and the
-- signature of both in lower case.
create or replace function words_of_node(p_scene jsonb, p_feeling text, p_themes text[])
returns table (words text, themes text[], signature bit(1024)) language sql stable as $$
    select told.words, p_themes, signed.signature
    from (
        select lower(concat_ws(E'\n', p_scene ->> 'action', p_feeling, memory.when_text(p_scene))) as words offset 0
    ) as told,
    -- `offset 0` has both texts made once, and not for each of their bytes, with which 10,000 notes took Postgres 25 s in place
    -- of 6.
    lateral (
        select convert_to(concat_ws(E'\n', told.words, lower(array_to_string(p_themes, E'\n'))), 'UTF8') as bytes offset 0
    ) as everything,
    lateral memory.words_signature(everything.bytes) as signed;
$$;

create or replace function keep_words_of_new_nodes() returns trigger language plpgsql as $$
begin
    insert into memory.node_words (being_id, node_id, words, themes, signature)
    select n.being_id, n.node_id, told.words, told.themes, told.signature
    from new_rows as n, lateral memory.words_of_node(n.scene, n.feeling, n.themes) as told;
    return null;
end $$;
create or replace trigger node_words_of_new after insert on memory_nodes
    referencing new table as new_rows for each statement execute function keep_words_of_new_nodes();

create or replace function keep_words_of_changed_node() returns trigger language plpgsql as $$
begin
    update memory.node_words as w
    set words = told.words, themes = told.themes, signature = told.signature
    from memory.words_of_node(new.scene, new.feeling, new.themes) as told
    where w.being_id = new.being_id and w.node_id = new.node_id;
    return null;
end $$;
create or replace trigger node_words_of_changed after update of scene, feeling, themes on memory_nodes
    for each row execute function keep_words_of_changed_node();

-- The bits that stand for terms, one for each: those of the three bytes at a share of its length (0: the first, 1: the last).
-- A text with n of the terms has n of these bits, less the terms that share a bit with another or are too short for one.
create or replace function signature_of_terms(p_terms text[], p_share double precision) returns bit(1024)
language sql immutable strict parallel safe
return (
    select bit_or(signed.signature)
    from unnest(p_terms) as asked (term),
    lateral (select convert_to(lower(asked.term), 'UTF8') as bytes) as term,
    lateral memory.words_signature(
        substring(term.bytes from 1 + trunc(p_share * greatest(0, length(term.bytes) - 3))::integer for 3)
    ) as signed
);

-- Nodes, dead ones too, but no muted ones, that hold any of the terms, or with p_all every one: a theme whole and to the letter,
-- the text fields as substrings, ignoring case. Most terms first, then the highest weight.
--
-- Looking for every term in every text takes 0.3 µs each, too long for a question of ordinary length. So signatures
-- nominate: a node's bits give the most terms that it may hold. Those with the most bits are counted first, and the number of
-- terms in the last of p_limit results among them (v_least) is the least that counts; texts are read only of nodes that may hold
-- as many. The result equals that of counting all terms in all nodes.
create or replace function search_nodes(p_being_id uuid, p_terms text[], p_all boolean, p_living boolean, p_limit integer)
returns table (node_id uuid, terms integer) language plpgsql stable as $$
declare
    v_count constant integer := cardinality(p_terms);
    v_first constant bit(1024) := memory.signature_of_terms(p_terms, 0);
    v_last constant bit(1024) := memory.signature_of_terms(p_terms, 1);
    v_within constant bit(1024) := memory.signature_of_terms(p_terms, 0.5);
    v_least integer := case when p_all then v_count else 1 end;
    -- Written out term by term, as constants: a subquery for each node costs ten times the comparison.
    v_met constant text := (
        select string_agg(
            format('(strpos(w.words, %L) > 0 or %L = any(w.themes))::integer', lower(term), term), ' + ' order by place
        )
        from unnest(p_terms) with ordinality as asked (term, place)
    );
    v_foremost uuid[];
    v_nodes uuid[];
    v_terms integer[];
begin
    if v_least < v_count then
        v_foremost := array(
            select w.node_id
            from memory.node_words as w
            where w.being_id = p_being_id
            order by bit_count(w.signature & (v_first | v_last | v_within)) desc
            limit 4 * p_limit
        );
        execute format(
            $foremost$
            select counted.terms
            from (
                select %s as terms
                from unnest($2) as foremost (node_id)
                join memory.node_words as w on w.being_id = $1 and w.node_id = foremost.node_id
                join memory.memory_nodes as n on n.being_id = $1 and n.node_id = foremost.node_id
                where n.forgotten_at is null and (n.status <> 'dead' or not $3)
                    and not memory.is_muted(n.being_id, 'node', n.node_id)
            ) as counted
            order by counted.terms desc
            offset $4 - 1
            limit 1
            $foremost$,
            v_met
        ) into v_least using p_being_id, v_foremost, p_living, p_limit;
        v_least := greatest(1, v_least);
    end if;
    execute format(
        $nominated$
        select array_agg(met.node_id), array_agg(met.terms)
        from (
            select w.node_id, %s as terms
            from memory.node_words as w
            where w.being_id = $1 and bit_count(w.signature & $2) >= $3
                and bit_count(w.signature & $4) >= $5 and bit_count(w.signature & $6) >= $7
            offset 0
        ) as met
        where met.terms >= $8
        $nominated$,
        v_met
    ) into v_nodes, v_terms
    using p_being_id, v_within, v_least - v_count + bit_count(v_within), v_first, v_least - v_count + bit_count(v_first),
        v_last, v_least - v_count + bit_count(v_last), v_least;
    -- Planned for as many nodes as there are.
    return query execute
        $weighed$
        select n.node_id, met.terms
        from unnest($1, $2) as met (node_id, terms)
        join memory.memory_nodes as n on n.being_id = $3 and n.node_id = met.node_id
        join memory.beings as b on b.being_id = n.being_id
        where n.forgotten_at is null and (n.status <> 'dead' or not $4)
            and not memory.is_muted(n.being_id, 'node', n.node_id)
        order by met.terms desc,
            memory.effective_importance(
                n.importance, coalesce(b.patrol_counter - n.session_count_base, n.final_session_count), n.pinned
            ) desc,
            n.created_at desc, n.node_id
        limit $5
        $weighed$
    using v_nodes, v_terms, p_being_id, p_living, p_limit;
end $$;
