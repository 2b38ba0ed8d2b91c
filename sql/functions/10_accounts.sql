-- The totals of a cluster are maintained by triggers on its nodes, so that no statement can leave them out.
--
-- INVARIANT  For every cluster, at every commit: nodes, active_nodes, fresh_nodes and dying_nodes are the counts of its
--            nodes, and vector_state is the exact count and sum of its active nodes' vectors.
-- INVARIANT  A vector goes with its node, and has marks for whether its node is living, and whether it stands.
-- The triggers look rows up by their keys, whatever the tables' statistics: plans are kept from when a table was small, and
-- one that reads all of it then would go on doing so.
-- LOCK ORDER After the Being (05_locks.sql): nodes, then clusters by cluster_id.

-- The change of one cluster's totals by one statement. A statement may change any number of nodes, so that their vectors
-- are summed by the query and never collected in memory.
do $$ begin
    create type account_change as (
        being_id uuid, cluster_id uuid, nodes bigint, active_nodes bigint, fresh_nodes bigint, dying_nodes bigint,
        lost double precision[], gained double precision[]
    );
exception when duplicate_object then null;
end $$;

create or replace function shifted_vector_state(
    p_state double precision[], p_lost double precision[], p_gained double precision[]
) returns double precision[] language plpgsql immutable as $$
declare
    v_state double precision[] := p_state;
begin
    if p_lost[1] > 0 then
        v_state := halfvec_combine(v_state, array(
            select -part from unnest(p_lost) with ordinality as parts (part, place) order by place
        ));
        -- A sum of no vectors has no dimensions, so that vectors of another model can be added next.
        if v_state[1] = 0 then
            v_state := '{0}';
        end if;
    end if;
    if p_gained[1] > 0 then
        v_state := halfvec_combine(v_state, p_gained);
    end if;
    return v_state;
end $$;

create or replace function post_to_accounts(p_changes account_change[]) returns void language plpgsql as $$
begin
    if cardinality(p_changes) = 0 then
        return;
    end if;
    perform 1
    from memory.clusters
    where (being_id, cluster_id) in (select being_id, cluster_id from unnest(p_changes))
    order by being_id, cluster_id
    for no key update;

    update memory.clusters as c
    set nodes = c.nodes + d.nodes,
        active_nodes = c.active_nodes + d.active_nodes,
        fresh_nodes = c.fresh_nodes + d.fresh_nodes,
        dying_nodes = c.dying_nodes + d.dying_nodes,
        vector_state = memory.shifted_vector_state(c.vector_state, d.lost, d.gained),
        -- A node whose vector changed within its cluster is subtracted and added, and is no arrival.
        arrivals_since_split = c.arrivals_since_split + greatest(d.gained[1] - d.lost[1], 0)::integer,
        name_outdated = c.name_outdated or d.lost[1] > 0 or d.gained[1] > 0
    from unnest(p_changes) as d
    where c.being_id = d.being_id and c.cluster_id = d.cluster_id;
end $$;

create or replace function account_for_new_nodes() returns trigger language plpgsql as $$
begin
    perform memory.post_to_accounts(array(
        select (being_id, cluster_id, count(*), count(*) filter (where status = 'active'),
            count(*) filter (where fresh and status <> 'dead'), count(*) filter (where status = 'dying'),
            '{0}', '{0}')::memory.account_change
        from new_nodes
        where cluster_id is not null
        group by being_id, cluster_id
    ));
    return null;
end $$;

create or replace function account_for_gone_nodes() returns trigger language plpgsql as $$
begin
    perform memory.post_to_accounts(array(
        select (o.being_id, o.cluster_id, -count(*), -count(*) filter (where o.status = 'active'),
            -count(*) filter (where o.fresh and o.status <> 'dead'), -count(*) filter (where o.status = 'dying'),
            memory.vector_state(v.vector) filter (where o.status = 'active' and v.vector is not null),
            '{0}')::memory.account_change
        from old_nodes as o
        left join lateral (
            select own.vector
            from memory.node_vectors as own
            where own.being_id = o.being_id and own.node_id = o.node_id
            limit 1
        ) as v on true
        where o.cluster_id is not null
        group by o.being_id, o.cluster_id
    ));
    delete from memory.node_vectors as v
    using old_nodes as o,
    lateral (
        select own.ctid as place
        from memory.node_vectors as own
        where own.being_id = o.being_id and own.node_id = o.node_id
        limit 1
        for update
    ) as gone
    where v.ctid = gone.place;
    return null;
end $$;

-- The old row of a node is subtracted from its cluster's totals (weight -1), and the new row added to its cluster's
-- (weight 1), often the same. Vectors are summed only for nodes whose cluster or status changed. An activation raises no
-- revision (55_consolidation.sql), and changes no account. Plans are kept for statements that change one node or all of a
-- Being's: a full join is never a loop within a loop, and each row is looked up by its key, so that those of other Beings are not
-- read.
create or replace function account_for_changed_nodes() returns trigger language plpgsql as $$
begin
    if (select sum(revision) from new_nodes) is not distinct from (select sum(revision) from old_nodes) then
        return null;
    end if;
    perform memory.post_to_accounts(array(
        select (side.being_id, side.cluster_id, sum(side.weight),
            coalesce(sum(side.weight) filter (where side.status = 'active'), 0),
            coalesce(sum(side.weight) filter (where side.fresh and side.status <> 'dead'), 0),
            coalesce(sum(side.weight) filter (where side.status = 'dying'), 0),
            memory.vector_state(v.vector) filter (where side.weight < 0 and side.status = 'active' and v.vector is not null),
            memory.vector_state(v.vector) filter (where side.weight > 0 and side.status = 'active' and v.vector is not null)
        )::memory.account_change
        from old_nodes as o
        full join new_nodes as n on n.being_id = o.being_id and n.node_id = o.node_id
        cross join lateral (select (o.cluster_id, o.status) is distinct from (n.cluster_id, n.status) as moved) as pair
        left join lateral (
            select own.vector
            from memory.node_vectors as own
            where pair.moved and own.being_id = n.being_id and own.node_id = n.node_id
            limit 1
        ) as v on true
        cross join lateral (
            values
                (o.being_id, o.cluster_id, -1, o.status, o.fresh),
                (n.being_id, n.cluster_id, 1, n.status, n.fresh)
        ) as side (being_id, cluster_id, weight, status, fresh)
        where (pair.moved or o.fresh <> n.fresh) and side.cluster_id is not null
        group by side.being_id, side.cluster_id
    ));
    update memory.node_vectors as v
    set living = changed.living, standing = changed.standing
    from (
        select own.place, found.living, found.standing
        from new_nodes as n,
        memory.finds_node(n.being_id, n.node_id, n.status, n.forgotten_at, n.absorbed_into) as found,
        lateral (
            select own.ctid as place
            from memory.node_vectors as own
            where own.being_id = n.being_id and own.node_id = n.node_id
                and (own.living, own.standing) is distinct from (found.living, found.standing)
            limit 1
            for update
        ) as own
    ) as changed
    where v.ctid = changed.place;
    return null;
end $$;

-- The cluster and the status of a node, looked up by its key: a plan that is kept for many would read the nodes of all Beings.
create or replace function home_of_node(p_being_id uuid, p_node_id uuid) returns table (cluster_id uuid, status text)
language sql stable as $$
    select n.cluster_id, n.status from memory.memory_nodes as n where n.being_id = p_being_id and n.node_id = p_node_id limit 1;
$$;

create or replace function account_for_new_vectors() returns trigger language plpgsql as $$
begin
    perform memory.post_to_accounts(array(
        select (v.being_id, home.cluster_id, 0, 0, 0, 0, '{0}', memory.vector_state(v.vector))::memory.account_change
        from new_vectors as v
        cross join lateral memory.home_of_node(v.being_id, v.node_id) as home
        where home.cluster_id is not null and home.status = 'active'
        group by v.being_id, home.cluster_id
    ));
    return null;
end $$;

create or replace function account_for_changed_vectors() returns trigger language plpgsql as $$
begin
    perform memory.post_to_accounts(array(
        select (v.being_id, home.cluster_id, 0, 0, 0, 0, memory.vector_state(o.vector), memory.vector_state(v.vector)
        )::memory.account_change
        from old_vectors as o
        full join new_vectors as v on v.being_id = o.being_id and v.node_id = o.node_id
        cross join lateral memory.home_of_node(v.being_id, v.node_id) as home
        where o.vector is distinct from v.vector and home.cluster_id is not null and home.status = 'active'
        group by v.being_id, home.cluster_id
    ));
    return null;
end $$;

create or replace trigger account_for_new_nodes after insert on memory_nodes
    referencing new table as new_nodes
    for each statement execute function account_for_new_nodes();
create or replace trigger account_for_gone_nodes after delete on memory_nodes
    referencing old table as old_nodes
    for each statement execute function account_for_gone_nodes();
create or replace trigger account_for_changed_nodes after update on memory_nodes
    referencing old table as old_nodes new table as new_nodes
    for each statement execute function account_for_changed_nodes();
create or replace trigger account_for_new_vectors after insert on node_vectors
    referencing new table as new_vectors
    for each statement execute function account_for_new_vectors();
create or replace trigger account_for_changed_vectors after update on node_vectors
    referencing old table as old_vectors new table as new_vectors
    for each statement execute function account_for_changed_vectors();
