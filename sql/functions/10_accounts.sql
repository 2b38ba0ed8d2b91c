-- What a cluster holds is derived from its nodes by trigger, so that no path of code can forget it.
--
-- INVARIANT  For every cluster, at every commit: nodes, active_nodes, fresh_nodes and dying_nodes are the counts of its
--            nodes, and vector_state is the exact count and sum of its active nodes' vectors.
-- LOCK ORDER work row, Being, nodes, clusters by cluster_id.

-- One node's step into (weight 1) or out of (weight -1) a cluster's account. `vector` is null where it does not count.
do $$ begin
    create type node_change as (
        being_id uuid, cluster_id uuid, weight integer, active boolean, fresh boolean, dying boolean, vector halfvec
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
        -- An empty account forgets its dimensions too, so that vectors of another model may follow.
        if v_state[1] = 0 then
            v_state := '{0}';
        end if;
    end if;
    if p_gained[1] > 0 then
        v_state := halfvec_combine(v_state, p_gained);
    end if;
    return v_state;
end $$;

create or replace function post_to_accounts(p_changes node_change[]) returns void language plpgsql as $$
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
        arrivals_since_split = c.arrivals_since_split + d.gained[1]::integer
    from (
        select
            being_id,
            cluster_id,
            sum(weight) as nodes,
            coalesce(sum(weight) filter (where active), 0) as active_nodes,
            coalesce(sum(weight) filter (where fresh), 0) as fresh_nodes,
            coalesce(sum(weight) filter (where dying), 0) as dying_nodes,
            memory.vector_state(vector) filter (where weight < 0) as lost,
            memory.vector_state(vector) filter (where weight > 0) as gained
        from unnest(p_changes)
        where cluster_id is not null
        group by being_id, cluster_id
    ) as d
    where c.being_id = d.being_id and c.cluster_id = d.cluster_id;
end $$;

create or replace function account_for_new_nodes() returns trigger language plpgsql as $$
begin
    perform memory.post_to_accounts(array(
        select (being_id, cluster_id, 1, status = 'active', fresh and status <> 'dead', status = 'dying',
            case when status = 'active' then vector end)::memory.node_change
        from new_nodes
        where cluster_id is not null
    ));
    return null;
end $$;

create or replace function account_for_gone_nodes() returns trigger language plpgsql as $$
begin
    perform memory.post_to_accounts(array(
        select (being_id, cluster_id, -1, status = 'active', fresh and status <> 'dead', status = 'dying',
            case when status = 'active' then vector end)::memory.node_change
        from old_nodes
        where cluster_id is not null
    ));
    return null;
end $$;

create or replace function account_for_changed_nodes() returns trigger language plpgsql as $$
declare
    v_changes memory.node_change[];
begin
    select array_agg(change) into v_changes
    from (
        select o as before, n as after,
            (o.cluster_id, o.status, o.vector) is distinct from (n.cluster_id, n.status, n.vector) as moved
        from old_nodes as o
        join new_nodes as n on n.being_id = o.being_id and n.node_id = o.node_id
        where (o.cluster_id, o.status, o.fresh, o.vector) is distinct from (n.cluster_id, n.status, n.fresh, n.vector)
    ) as pair,
    lateral (
        values
            (((before).being_id, (before).cluster_id, -1, (before).status = 'active',
                (before).fresh and (before).status <> 'dead', (before).status = 'dying',
                case when moved and (before).status = 'active' then (before).vector end)::memory.node_change),
            (((after).being_id, (after).cluster_id, 1, (after).status = 'active',
                (after).fresh and (after).status <> 'dead', (after).status = 'dying',
                case when moved and (after).status = 'active' then (after).vector end)::memory.node_change)
    ) as changes (change);
    if v_changes is not null then
        perform memory.post_to_accounts(v_changes);
    end if;
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
