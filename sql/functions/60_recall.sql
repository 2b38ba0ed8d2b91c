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

-- Nodes, dead ones too, that answer any of the terms, or with p_all every one: a theme whole and to the letter, the text
-- fields as substrings whatever the case. Most terms first, then what weighs most.
create or replace function search_nodes(p_being_id uuid, p_terms text[], p_all boolean, p_living boolean, p_limit integer)
returns table (node_id uuid, terms integer) language plpgsql stable as $$
#variable_conflict use_column
declare
    v_parts constant text[] := array(
        select lower(term) from unnest(p_terms) with ordinality as asked (term, place) order by place
    );
    -- JSON text holds these characters escaped; without them, what no part of a scene's JSON holds, no text in it holds.
    v_as_written constant boolean := not exists (select from unnest(p_terms) as term where term ~ '["\\[:cntrl:]]');
begin
    return query
    select n.node_id, met.terms
    from memory.seen_nodes as n,
    -- Offset 0 keeps the planner from copying an expression to every term: a text is lower-cased once a node.
    lateral (select lower(concat_ws(E'\n', n.scene::text, n.feeling)) as words offset 0) as written,
    lateral (
        -- Most nodes hold no term at all, and taking a timeline apart costs more than looking at it.
        select case
            when not v_as_written or exists (select from unnest(v_parts) as part where strpos(written.words, part) > 0)
            then lower(concat_ws(E'\n', n.scene ->> 'action', n.feeling, memory.when_text(n.scene)))
        end as words
        offset 0
    ) as said,
    lateral (
        select count(*)::integer as terms
        from unnest(p_terms, v_parts) as asked (term, part)
        where strpos(said.words, asked.part) > 0 or asked.term = any(n.themes)
    ) as met
    where n.being_id = p_being_id and n.forgotten_at is null and (n.status <> 'dead' or not p_living)
        and met.terms >= case when p_all then cardinality(p_terms) else 1 end
    order by met.terms desc, n.effective_importance desc, n.created_at desc, n.node_id
    limit p_limit;
end $$;
