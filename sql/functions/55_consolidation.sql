-- What a model decides about memories, applied to a world that may have changed since they were shown to it.
--
-- A row's version is its xmin, the transaction that wrote it: any change since it was shown, whatever of it changed, gives
-- it another. Every writer of a Being's nodes locks the Being first, and so does the step that applies: what is compared here
-- stays so until it is committed.

-- Whether the nodes of p_seen ({node id: version}) are all there, and none was touched since it was shown.
create or replace function untouched(p_being_id uuid, p_seen jsonb) returns boolean language sql stable as $$
    select count(*) = count(n.node_id)
    from jsonb_each_text(p_seen) as seen (node_id, version)
    left join memory.memory_nodes as n
        on n.being_id = p_being_id and n.node_id = seen.node_id::uuid and n.xmin::text = seen.version;
$$;

-- Lets a survivor absorb others and gives it the words that they became together.
-- INVARIANT  All of it or, where a node was touched since it was shown, nothing: then false.
create or replace function merge_nodes(
    p_being_id uuid, p_seen jsonb, p_survivor uuid, p_absorbed uuid[], p_scene jsonb, p_feeling text, p_themes text[],
    p_text_hash bytea, p_embedding_model text, p_vector halfvec
) returns boolean language plpgsql as $$
begin
    if not memory.untouched(p_being_id, p_seen)
        or (select embedding_model from memory.beings where being_id = p_being_id) <> p_embedding_model then
        return false;
    end if;
    perform memory.absorb_nodes(p_being_id, p_survivor, p_absorbed);
    update memory.memory_nodes
    set scene = p_scene, feeling = p_feeling, themes = p_themes, text_hash = p_text_hash,
        embedding_model = p_embedding_model, vector = p_vector
    where being_id = p_being_id and node_id = p_survivor;
    return true;
end $$;

-- Lets go those of p_seen that were not touched since they were shown. Returns how many.
create or replace function let_go(p_being_id uuid, p_seen jsonb) returns integer language plpgsql as $$
declare
    v_nodes uuid[] := array(
        select node_id::uuid from jsonb_each_text(p_seen) as seen (node_id, version)
        where memory.untouched(p_being_id, jsonb_build_object(node_id, version))
    );
begin
    perform memory.make_dead(p_being_id, v_nodes);
    return cardinality(v_nodes);
end $$;

-- Takes the mark `fresh` from what was looked at and stays as it is. What was touched since keeps it.
create or replace function settle_nodes(p_being_id uuid, p_seen jsonb) returns void language sql as $$
    update memory.memory_nodes as n
    set fresh = false
    from jsonb_each_text(p_seen) as seen (node_id, version)
    where n.being_id = p_being_id and n.node_id = seen.node_id::uuid and n.xmin::text = seen.version
        and n.fresh and n.status <> 'dead';
$$;

-- Makes a topic of those of p_seen that are still where they were shown and as they were shown. Returns how many went.
-- INVARIANT  A topic begins with at least p_least nodes, and leaves at least as many active ones behind, but for a root,
--            which may be emptied; otherwise nothing is done.
create or replace function found_topic_of_shown(
    p_being_id uuid, p_from uuid, p_name text, p_seen jsonb, p_least integer
) returns integer language plpgsql as $$
declare
    v_nodes uuid[] := array(
        select n.node_id
        from jsonb_each_text(p_seen) as seen (node_id, version)
        join memory.memory_nodes as n on n.being_id = p_being_id and n.node_id = seen.node_id::uuid
        where n.xmin::text = seen.version and n.cluster_id = p_from and n.status = 'active'
    );
begin
    if cardinality(v_nodes) < p_least or exists (
        select from memory.clusters
        where being_id = p_being_id and cluster_id = p_from and not is_parent
            and active_nodes - cardinality(v_nodes) < p_least
    ) then
        return 0;
    end if;
    perform memory.found_topic(p_being_id, p_from, p_name, v_nodes);
    return cardinality(v_nodes);
end $$;
