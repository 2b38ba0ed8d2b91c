-- The totals of a cluster are maintained by triggers on its nodes, so that no statement can leave them out.
--
-- INVARIANT  For every cluster, at every commit: nodes, active_nodes, fresh_nodes and dying_nodes are the counts of its
--            nodes, and vector_state is the exact count and sum of its active nodes' vectors.
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
        arrivals_since_split = c.arrivals_since_split + greatest(d.gained[1] - d.lost[1], 0)::integer
    from unnest(p_changes) as d
    where c.being_id = d.being_id and c.cluster_id = d.cluster_id;
end $$;

create or replace function account_for_new_nodes() returns trigger language plpgsql as $$
begin
    perform memory.post_to_accounts(array(
        select (being_id, cluster_id, count(*), count(*) filter (where status = 'active'),
            count(*) filter (where fresh and status <> 'dead'), count(*) filter (where status = 'dying'),
            '{0}', memory.vector_state(vector) filter (where status = 'active'))::memory.account_change
        from new_nodes
        where cluster_id is not null
        group by being_id, cluster_id
    ));
    return null;
end $$;

create or replace function account_for_gone_nodes() returns trigger language plpgsql as $$
begin
    perform memory.post_to_accounts(array(
        select (being_id, cluster_id, -count(*), -count(*) filter (where status = 'active'),
            -count(*) filter (where fresh and status <> 'dead'), -count(*) filter (where status = 'dying'),
            memory.vector_state(vector) filter (where status = 'active'), '{0}')::memory.account_change
        from old_nodes
        where cluster_id is not null
        group by being_id, cluster_id
    ));
    return null;
end $$;

-- The old row of a node is subtracted from its cluster's totals (weight -1), and the new row added to its cluster's
-- (weight 1), often the same. Vectors are summed only for nodes whose vector, cluster or status changed.
create or replace function account_for_changed_nodes() returns trigger language plpgsql as $$
begin
    perform memory.post_to_accounts(array(
        select (side.being_id, side.cluster_id, sum(side.weight),
            coalesce(sum(side.weight) filter (where side.status = 'active'), 0),
            coalesce(sum(side.weight) filter (where side.fresh and side.status <> 'dead'), 0),
            coalesce(sum(side.weight) filter (where side.status = 'dying'), 0),
            memory.vector_state(side.vector) filter (where side.weight < 0 and moved and side.status = 'active'),
            memory.vector_state(side.vector) filter (where side.weight > 0 and moved and side.status = 'active')
        )::memory.account_change
        from old_nodes as o
        join new_nodes as n on n.being_id = o.being_id and n.node_id = o.node_id,
        lateral (select (o.cluster_id, o.status, o.vector) is distinct from (n.cluster_id, n.status, n.vector) as moved)
            as pair,
        lateral (
            values
                (o.being_id, o.cluster_id, -1, o.status, o.fresh, o.vector),
                (n.being_id, n.cluster_id, 1, n.status, n.fresh, n.vector)
        ) as side (being_id, cluster_id, weight, status, fresh, vector)
        where (moved or o.fresh <> n.fresh) and side.cluster_id is not null
        group by side.being_id, side.cluster_id
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
