-- Finding nodes. Nothing here changes anything; activation follows, where the caller wants it.

-- Living nodes nearest to a vector of the same model, cosine similarity at least the threshold (the seed's RPC).
create or replace function match_nodes(
    p_being_id uuid, p_embedding_model text, p_query halfvec, p_threshold double precision, p_limit integer
) returns table (node_id uuid, similarity double precision) language sql stable as $$
    select nearest.node_id, nearest.similarity
    from (
        select n.node_id, 1 - (n.vector <=> p_query) as similarity
        from memory.memory_nodes as n
        where n.being_id = p_being_id and n.status in ('active', 'dying') and n.embedding_model = p_embedding_model
        order by n.vector <=> p_query, n.node_id
        limit p_limit
    ) as nearest
    where nearest.similarity >= p_threshold;
$$;

-- Any text of the scene's timeline: plain dates, and the date and action of its objects.
create or replace function when_text(p_scene jsonb) returns text language sql immutable parallel safe
return (
    select string_agg(value #>> '{}', E'\n')
    from jsonb_path_query(p_scene, 'strict $.when.**') as value
    where jsonb_typeof(value) = 'string'
);

-- How many of the terms a node answers: a theme whole and to the letter, the text fields as substrings whatever the case.
create or replace function terms_met(p_terms text[], p_scene jsonb, p_feeling text, p_themes text[]) returns integer
language sql immutable parallel safe
return (
    select count(*)::integer
    from unnest(p_terms) as term,
    lateral (select '%' || regexp_replace(term, '([\\%_])', '\\\1', 'g') || '%' as pattern) as escaped
    where term = any(p_themes)
        or p_scene ->> 'action' ilike pattern
        or p_feeling ilike pattern
        or memory.when_text(p_scene) ilike pattern
);

-- Nodes, dead ones too, that answer any of the terms, or with p_all every one; most terms first, then what weighs most.
create or replace function search_nodes(p_being_id uuid, p_terms text[], p_all boolean, p_living boolean, p_limit integer)
returns table (node_id uuid, terms integer) language sql stable as $$
    select n.node_id, met.terms
    from memory.seen_nodes as n,
    lateral (select memory.terms_met(p_terms, n.scene, n.feeling, n.themes) as terms) as met
    where n.being_id = p_being_id and n.forgotten_at is null and (n.status <> 'dead' or not p_living)
        and met.terms >= case when p_all then cardinality(p_terms) else 1 end
    order by met.terms desc, n.effective_importance desc, n.created_at desc, n.node_id
    limit p_limit;
$$;
