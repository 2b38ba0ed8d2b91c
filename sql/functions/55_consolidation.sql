-- Applying a model's decisions about nodes that may have changed since the model was shown them.
--
-- INVARIANT  An answer is applied to a node only at the revision at which the node was shown. Every writer of a Being's nodes
--            locks the Being first, and so does the step that applies: a revision compared here holds until the commit.

-- The trigger's WHEN clause lists the changes that count: words, weight, place, state and marks. Activation counts are none, so a
-- node that is recalled while a model thinks still takes the model's answer.
create or replace function raise_node_revision() returns trigger language plpgsql as $$
begin
    new.revision := old.revision + 1;
    return new;
end $$;

create or replace trigger raise_node_revision before update on memory_nodes
    for each row
    when (
        (old.cluster_id, old.scene, old.feeling, old.themes, old.emotion, old.importance)
            is distinct from (new.cluster_id, new.scene, new.feeling, new.themes, new.emotion, new.importance)
        or (old.status, old.fresh, old.pinned, old.absorbed_into, old.forgotten_at)
            is distinct from (new.status, new.fresh, new.pinned, new.absorbed_into, new.forgotten_at)
    )
    execute function raise_node_revision();

-- Whether the nodes of p_seen ({node id: revision}) all exist at the revision at which they were shown.
create or replace function untouched(p_being_id uuid, p_seen jsonb) returns boolean language sql stable as $$
    -- One look at the primary key for each: a join that is planned before there are statistics reads the Being's whole memory.
    select coalesce(bool_and(seen.revision::bigint is not distinct from (
        select n.revision from memory.memory_nodes as n where n.being_id = p_being_id and n.node_id = seen.node_id::uuid
    )), true)
    from jsonb_each_text(p_seen) as seen (node_id, revision);
$$;

-- Whether some of these nodes are muted and others are not: a node or topic made of both could be neither shown nor hidden.
create or replace function differ_in_muting(p_being_id uuid, p_node_ids uuid[]) returns boolean language sql stable
return (
    select count(distinct memory.is_muted(p_being_id, 'node', node_id)) > 1 from unnest(p_node_ids) as node_id
);

-- Lets a survivor absorb others and take the words of their merge.
-- INVARIANT  All of it or, where a node was touched since it was shown, nothing: then false.
create or replace function merge_nodes(
    p_being_id uuid, p_seen jsonb, p_survivor uuid, p_absorbed uuid[], p_scene jsonb, p_feeling text, p_themes text[],
    p_emotion jsonb, p_text_hash bytea, p_embedding_model text, p_vector halfvec
) returns boolean language plpgsql as $$
begin
    if not memory.untouched(p_being_id, p_seen) or memory.differ_in_muting(p_being_id, p_absorbed || p_survivor)
        or (select embedding_model from memory.beings where being_id = p_being_id) <> p_embedding_model then
        return false;
    end if;
    perform memory.absorb_nodes(p_being_id, p_survivor, p_absorbed);
    update memory.memory_nodes
    set scene = p_scene, feeling = p_feeling, themes = p_themes, emotion = p_emotion, text_hash = p_text_hash
    where being_id = p_being_id and node_id = p_survivor;
    perform memory.put_vectors(p_being_id, p_embedding_model, array[p_survivor], array[p_vector]);
    return true;
end $$;

-- Makes those of p_seen dead that were not touched since they were shown. Returns how many.
create or replace function let_go(p_being_id uuid, p_seen jsonb) returns integer language plpgsql as $$
declare
    v_nodes uuid[] := array(
        select node_id::uuid from jsonb_each_text(p_seen) as seen (node_id, revision)
        where memory.untouched(p_being_id, jsonb_build_object(node_id, revision))
    );
begin
    perform memory.make_dead(p_being_id, v_nodes);
    return cardinality(v_nodes);
end $$;

-- Clears the mark `fresh` of nodes that the model left unchanged. A node with another revision by now keeps it.
create or replace function settle_nodes(p_being_id uuid, p_seen jsonb) returns void language sql as $$
    update memory.memory_nodes as n
    set fresh = false
    from jsonb_each_text(p_seen) as seen (node_id, revision)
    where n.being_id = p_being_id and n.node_id = seen.node_id::uuid and n.revision = seen.revision::bigint
        and n.fresh and n.status <> 'dead';
$$;

-- Makes a sub-cluster under the same parent as p_from (its own root where p_from is one) of those of p_seen that have not moved
-- or changed since a model was shown them. p_named_by is the origin of its name, and p_named_from are the nodes that
-- the name was made of. Returns how many moved.
-- INVARIANT  A topic begins with at least p_least nodes, and leaves at least as many active ones behind, but for a root,
--            which may be emptied; and no name is of nodes erased since it was made, or of muted and other nodes. Otherwise
--            nothing is done.
create or replace function found_topic_of_shown(
    p_being_id uuid, p_from uuid, p_name text, p_named_by text, p_named_from uuid[], p_seen jsonb, p_least integer
) returns integer language plpgsql as $$
declare
    v_cluster_id uuid;
    v_nodes uuid[] := array(
        select n.node_id
        from jsonb_each_text(p_seen) as seen (node_id, revision)
        join memory.memory_nodes as n on n.being_id = p_being_id and n.node_id = seen.node_id::uuid
        where n.revision = seen.revision::bigint and n.cluster_id = p_from and n.status = 'active'
    );
begin
    if memory.differ_in_muting(p_being_id, p_named_from) then
        return 0;
    end if;
    if cardinality(v_nodes) < p_least or exists (
        select from memory.clusters
        where being_id = p_being_id and cluster_id = p_from and not is_parent
            and active_nodes - cardinality(v_nodes) < p_least
    ) or (
        select count(*) from memory.memory_nodes where being_id = p_being_id and node_id = any(p_named_from)
    ) < cardinality(p_named_from) then
        return 0;
    end if;
    insert into memory.clusters (being_id, name, named_by, named_from, parent_id)
    select p_being_id, p_name, p_named_by, p_named_from, parent_id
    from memory.clusters
    where being_id = p_being_id and cluster_id = p_from
    returning cluster_id into v_cluster_id;
    -- A topic that is divided from a muted topic is muted with it.
    insert into memory.muted_items (owner_id, kind, item_id, user_id, mute_id, spreads)
    select owner_id, kind, v_cluster_id, user_id, mute_id, spreads
    from memory.muted_items
    where owner_id = p_being_id and kind = 'topic' and item_id = p_from;
    update memory.mutes as m
    set topics = m.topics || v_cluster_id
    from memory.muted_items as x
    where x.owner_id = p_being_id and x.kind = 'topic' and x.item_id = v_cluster_id
        and m.user_id = x.user_id and m.mute_id = x.mute_id and m.kind = 'topic';
    update memory.memory_nodes
    set cluster_id = v_cluster_id
    where being_id = p_being_id and node_id = any(v_nodes);
    return cardinality(v_nodes);
end $$;
