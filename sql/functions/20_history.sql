-- The history of nodes, written by triggers in the transaction that makes the change.
--
-- INVARIANT  Every change of a node's life (birth, cluster, status, freshness, pin, words, importance, forgetting) has its
--            line in node_history, in the same transaction. Being recalled is a counter on the node, not a line.
-- A patrol names itself by `set local memory.run_id`; changes made by people carry no run. Where a model decided, the
-- patrol names its response by `set local memory.response_id`.

create or replace function current_run() returns uuid language sql stable
return nullif(current_setting('memory.run_id', true), '')::uuid;

-- The part of `detail` that every event has which a model decided.
create or replace function current_decision() returns jsonb language sql stable
return jsonb_strip_nulls(
    jsonb_build_object('response_id', nullif(current_setting('memory.response_id', true), ''))
);

-- The part of `detail` for a person's forgetting or reviving: the values that the change overwrites, for undo_node.
create or replace function current_before() returns jsonb language sql stable
return jsonb_strip_nulls(jsonb_build_object('before', nullif(current_setting('memory.before', true), '')::jsonb));

create or replace function record_born_nodes() returns trigger language plpgsql as $$
begin
    insert into memory.node_history (being_id, node_id, event, detail, run_id)
    select being_id, node_id, 'born', jsonb_build_object('note_id', note_id, 'importance', importance), run_id
    from new_nodes;
    return null;
end $$;

-- An activation raises no revision (55_consolidation.sql): it has no line. A full join is never a loop within a loop, which a
-- plan that was made for one changed node may be: 4,000 took 2.7 s in place of 0.2.
create or replace function record_changed_nodes() returns trigger language plpgsql as $$
begin
    if (select sum(revision) from new_nodes) is not distinct from (select sum(revision) from old_nodes) then
        return null;
    end if;
    insert into memory.node_history (being_id, node_id, event, detail, run_id)
    select n.being_id, case change.event when 'took in' then n.absorbed_into else n.node_id end, change.event,
        -- Here, and not in the list, so that it is built only for rows with an event.
        case change.event
            when 'assigned' then jsonb_build_object('from', o.cluster_id, 'to', n.cluster_id)
            when 'moved' then jsonb_build_object('from', o.cluster_id, 'to', n.cluster_id)
            when 'dying' then jsonb_build_object('session_count', n.final_session_count)
            when 'absorbed' then jsonb_build_object('into', n.absorbed_into)
            when 'took in' then jsonb_build_object('absorbed', n.node_id)
            when 'forgotten' then memory.current_before()
            when 'active again' then jsonb_build_object('from', o.status) || memory.current_before()
            when 'weighed' then jsonb_build_object('from', o.importance, 'to', n.importance)
            else '{}'::jsonb
        end || memory.current_decision(),
        memory.current_run()
    from old_nodes as o
    full join new_nodes as n on n.being_id = o.being_id and n.node_id = o.node_id,
    lateral (
        values
            (1, o.cluster_id is distinct from n.cluster_id and n.cluster_id is not null,
                case when o.cluster_id is null then 'assigned' else 'moved' end),
            (2, n.status = 'dying' and o.status = 'active', 'dying'),
            (3, n.absorbed_into is not null and o.absorbed_into is null, 'absorbed'),
            (4, n.forgotten_at is not null and o.forgotten_at is null, 'forgotten'),
            (5, n.status = 'dead' and o.status <> 'dead' and n.absorbed_into is null and n.forgotten_at is null, 'dead'),
            (6, n.status = 'active' and o.status <> 'active', 'active again'),
            (7, o.fresh and not n.fresh and n.status <> 'dead', 'consolidated'),
            (8, n.pinned and not o.pinned, 'pinned'),
            (9, o.pinned and not n.pinned, 'unpinned'),
            (10, o.text_hash <> n.text_hash or o.scene <> n.scene, 'reworded'),
            (11, o.importance <> n.importance, 'weighed'),
            -- The survivor's history has an event for each node that it absorbed, also when that node is erased later.
            (12, n.absorbed_into is not null and o.absorbed_into is null, 'took in')
    ) as change (place, happened, event)
    where change.happened
    order by n.node_id, change.place;
    return null;
end $$;

create or replace trigger record_born_nodes after insert on memory_nodes
    referencing new table as new_nodes
    for each statement execute function record_born_nodes();
create or replace trigger record_changed_nodes after update on memory_nodes
    referencing old table as old_nodes new table as new_nodes
    for each statement execute function record_changed_nodes();
