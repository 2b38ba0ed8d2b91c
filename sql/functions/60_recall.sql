-- Finding nodes. Nothing here changes anything; activation follows, where the caller wants it.

-- Living nodes nearest to a vector of the same model, cosine similarity at least the threshold (the seed's RPC).
-- The inner query names the distance once: beside the order it sorts by, a similarity would be computed for every node anew.
create or replace function match_nodes(
    p_being_id uuid, p_embedding_model text, p_query halfvec, p_threshold double precision, p_limit integer
) returns table (node_id uuid, similarity double precision) language sql stable parallel safe as $$
    select nearest.node_id, 1 - nearest.distance as similarity
    from (
        select n.node_id, n.vector <=> p_query as distance
        from memory.memory_nodes as n
        where n.being_id = p_being_id and n.status in ('active', 'dying') and n.embedding_model = p_embedding_model
        order by distance, n.node_id
        limit p_limit
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
-- The terms are counted over a narrow table; the nodes themselves are read from those with most terms on, until there are
-- enough.
create or replace function search_nodes(p_being_id uuid, p_terms text[], p_all boolean, p_living boolean, p_limit integer)
returns table (node_id uuid, terms integer) language plpgsql stable as $$
#variable_conflict use_column
declare
    v_parts constant text[] := array(
        select lower(term) from unnest(p_terms) with ordinality as asked (term, place) order by place
    );
    v_least constant integer := case when p_all then cardinality(p_terms) else 1 end;
    v_level record;
    v_found integer := 0;
    v_more integer;
begin
    for v_level in
        select met.terms, array_agg(w.node_id) as node_ids
        from memory.node_words as w,
        lateral (
            select count(*)::integer as terms
            from unnest(p_terms, v_parts) as asked (term, part)
            where strpos(w.words, asked.part) > 0 or asked.term = any(w.themes)
        ) as met
        where w.being_id = p_being_id and met.terms >= v_least
        group by met.terms
        order by met.terms desc
    loop
        return query
        select n.node_id, v_level.terms
        from memory.seen_nodes as n
        where n.being_id = p_being_id and n.node_id = any(v_level.node_ids) and n.forgotten_at is null
            and (n.status <> 'dead' or not p_living)
        order by n.effective_importance desc, n.created_at desc, n.node_id
        limit p_limit - v_found;
        get diagnostics v_more = row_count;
        v_found := v_found + v_more;
        exit when v_found >= p_limit;
    end loop;
end $$;
