-- The mechanical steps of a patrol. Each is called inside the transaction that finishes the step, with the Being locked.

-- INVARIANT  Time passes by ticks: a node's session count is patrol_counter − session_count_base, so raising one counter
--            ages every active node (the seed's ❷), and costs the same for ten nodes as for a million.
create or replace function increment_session_counts(p_being_id uuid) returns void language sql as $$
    update memory.beings set patrol_counter = patrol_counter + 1, ticked_at = memory.now() where being_id = p_being_id;
$$;

-- INVARIANT  After it, no active unpinned node has an effective importance ≤ 0.05 (the seed's ❸). It reads an index range
--            that holds only dying nodes.
create or replace function flag_dying_nodes(p_being_id uuid) returns integer language plpgsql as $$
declare
    v_counter bigint;
    v_flagged integer;
begin
    select patrol_counter into v_counter from memory.beings where being_id = p_being_id;
    update memory.memory_nodes
    set status = 'dying', final_session_count = v_counter - session_count_base, session_count_base = null,
        dying_since = v_counter
    where being_id = p_being_id and fades_at_counter <= v_counter;
    get diagnostics v_flagged = row_count;
    return v_flagged;
end $$;

-- INVARIANT  Afterwards no node is revivable: a dead node that recall found twice since it died and was not absorbed, or a
--            dying one, whose effective importance is > 0.05, is active and goes on counting where it stopped (the seed's ❺).
create or replace function revive_dead_nodes(p_being_id uuid) returns integer language plpgsql as $$
declare
    v_counter bigint;
    v_revived integer;
begin
    select patrol_counter into v_counter from memory.beings where being_id = p_being_id;
    update memory.memory_nodes
    set status = 'active', session_count_base = v_counter - final_session_count, final_session_count = null, reactivations_at_death = null
    where being_id = p_being_id and revivable;
    get diagnostics v_revived = row_count;
    return v_revived;
end $$;

-- Sub-clusters nearest to a vector, cosine similarity at least the threshold (the seed's RPC). Vectors that cancel out have
-- no direction and are like nothing: their similarity is NaN, which Postgres holds greater than 1.
create or replace function match_clusters(p_being_id uuid, p_query halfvec, p_threshold double precision, p_limit integer)
returns table (cluster_id uuid, similarity double precision) language sql stable as $$
    select c.cluster_id, 1 - (c.vector <=> p_query) as similarity
    from memory.clusters as c
    where c.being_id = p_being_id and not c.is_parent and c.removed_at is null and c.vector is not null
        and 1 - (c.vector <=> p_query) between p_threshold and 1
    order by c.vector <=> p_query, c.cluster_id
    limit p_limit;
$$;

-- INVARIANT  No node stays without a cluster. Each homeless node goes to the best matching sub-cluster as it was before
--            this statement, else to the root that p_roots names for it (the seed's ❶, 5). p_vectors are vectors of the nodes'
--            words, and are compared only while the Being's vectors are of the same model.
create or replace function assign_nodes(
    p_being_id uuid, p_model text, p_threshold double precision, p_nodes uuid[], p_vectors halfvec[], p_roots text[]
) returns table (matched integer, rooted integer) language sql as $$
    with homes as (
        select n.node_id, best.cluster_id as matched_id, coalesce(best.cluster_id, root.cluster_id) as cluster_id
        from unnest(p_nodes, p_vectors, p_roots) as asked (node_id, vector, root_name)
        join memory.memory_nodes as n on n.being_id = p_being_id and n.node_id = asked.node_id and n.cluster_id is null
        join memory.clusters as root on root.being_id = p_being_id and root.is_parent and root.name = asked.root_name
        join memory.beings as b on b.being_id = p_being_id
        left join lateral memory.match_clusters(
            p_being_id, case when b.embedding_model = p_model then asked.vector end, p_threshold, 1
        ) as best on true
    ),
    housed as (
        update memory.memory_nodes as n
        set cluster_id = homes.cluster_id
        from homes
        where n.being_id = p_being_id and n.node_id = homes.node_id
        returning homes.matched_id
    )
    select count(matched_id)::integer, count(*)::integer - count(matched_id)::integer
    from housed;
$$;

-- The survivor takes the absorbed nodes in: +0.05 once, capped at 1.0; they die of it (the seed's ❹).
-- INVARIANT  Nothing pinned, dead, unknown, or the survivor itself is absorbed; refused whole otherwise.
create or replace function absorb_nodes(p_being_id uuid, p_survivor uuid, p_absorbed uuid[]) returns void
language plpgsql as $$
declare
    v_counter bigint;
    v_absorbed integer;
begin
    select patrol_counter into v_counter from memory.beings where being_id = p_being_id;
    update memory.memory_nodes
    set status = 'dead', absorbed_into = p_survivor, final_session_count = coalesce(final_session_count, v_counter - session_count_base),
        session_count_base = null, reactivations_at_death = reactivation_count, fresh = false
    where being_id = p_being_id and node_id = any(p_absorbed) and node_id <> p_survivor
        and status <> 'dead' and not pinned;
    get diagnostics v_absorbed = row_count;
    update memory.memory_nodes
    set importance = least(importance + 0.05, 1), fresh = false
    where being_id = p_being_id and node_id = p_survivor and status <> 'dead';
    if not found or v_absorbed <> cardinality(p_absorbed) or v_absorbed = 0 then
        raise exception using errcode = 'MP003',
            message = 'A merge needs a living survivor and living, unpinned nodes of this Being to absorb, each once.';
    end if;
end $$;

-- Makes dying nodes dead that no survivor absorbs (the seed's make_dead).
-- INVARIANT  Only a dying, unpinned, not fresh node dies; refused whole otherwise.
create or replace function make_dead(p_being_id uuid, p_node_ids uuid[]) returns void language plpgsql as $$
declare
    v_dead integer;
begin
    update memory.memory_nodes
    set status = 'dead', reactivations_at_death = reactivation_count
    where being_id = p_being_id and node_id = any(p_node_ids) and status = 'dying' and not fresh;
    get diagnostics v_dead = row_count;
    if v_dead <> cardinality(p_node_ids) then
        raise exception using errcode = 'MP003', message = 'Only dying nodes that are not fresh can be let go, each once.';
    end if;
end $$;

-- The seed's ❼, one cluster at a time by (created_at, cluster_id), with live counts and vectors: a sub-cluster with at most
-- two active nodes gives all its nodes, dead ones too, to the sibling most like it (similarity > p_threshold), else to its
-- parent; without active nodes it is similar to no other. A cluster with children stays. A muted one goes to a muted
-- sibling, or stays.
-- INVARIANT  No node is lost: every node of a removed cluster is in the cluster that merged_into names.
create or replace function merge_small_clusters(p_being_id uuid, p_threshold double precision) returns integer
language plpgsql as $$
declare
    v_small record;
    v_target uuid;
    v_merged integer := 0;
begin
    for v_small in
        select cluster_id, parent_id
        from memory.clusters
        where being_id = p_being_id and active_nodes <= 2 and not is_parent and removed_at is null
        order by created_at, cluster_id
    loop
        select coalesce(best.cluster_id, case when not memory.is_muted(p_being_id, 'topic', c.cluster_id) then c.parent_id end)
        into v_target
        from memory.clusters as c
        left join lateral (
            select sibling.cluster_id
            from memory.clusters as sibling
            where sibling.being_id = p_being_id and sibling.parent_id = c.parent_id and sibling.cluster_id <> c.cluster_id
                and not sibling.is_parent and sibling.removed_at is null
                and memory.is_muted(p_being_id, 'topic', sibling.cluster_id) = memory.is_muted(p_being_id, 'topic', c.cluster_id)
                and 1 - (sibling.vector <=> c.vector) > p_threshold and 1 - (sibling.vector <=> c.vector) <= 1
            order by sibling.vector <=> c.vector, sibling.cluster_id
            limit 1
        ) as best on true
        where c.being_id = p_being_id and c.cluster_id = v_small.cluster_id and c.active_nodes <= 2;
        continue when v_target is null;
        update memory.memory_nodes set cluster_id = v_target
        where being_id = p_being_id and cluster_id = v_small.cluster_id;
        update memory.clusters as c
        set removed_at = memory.now(), merged_into = v_target
        where c.being_id = p_being_id and c.cluster_id = v_small.cluster_id and not exists (
            select from memory.clusters as child
            where child.being_id = p_being_id and child.parent_id = c.cluster_id and child.removed_at is null
        );
        if found then
            v_merged := v_merged + 1;
        end if;
    end loop;
    return v_merged;
end $$;
