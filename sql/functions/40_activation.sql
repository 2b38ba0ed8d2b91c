-- Being found keeps a memory alive.
--
-- INVARIANT  Being found raises reactivation_count once an answer (by 2 where the node is dead, else by 1),
--            sets last_activated, zeroes the session count, and makes a dying node active. A found node that
--            had been absorbed credits its final survivor as well, once an answer (patrol seed; DESIGN, "Activation").
--            What was forgotten is neither found nor credited.
create or replace function activate_nodes(p_being_id uuid, p_node_ids uuid[]) returns void language plpgsql as $$
declare
    v_counter bigint;
begin
    perform memory.lock_being(p_being_id);
    select patrol_counter into v_counter from memory.beings where being_id = p_being_id;
    with recursive found as (
        select n.node_id, n.absorbed_into
        from memory.memory_nodes as n
        where n.being_id = p_being_id and n.node_id = any(p_node_ids) and n.forgotten_at is null
        union
        select n.node_id, n.absorbed_into
        from found as f
        join memory.memory_nodes as n on n.being_id = p_being_id and n.node_id = f.absorbed_into
    )
    update memory.memory_nodes as n
    set reactivation_count = n.reactivation_count + case when n.status = 'dead' then 2 else 1 end,
        last_activated = memory.now(),
        status = case when n.status = 'dying' then 'active' else n.status end,
        counted_from = case when n.status <> 'dead' then v_counter end,
        stopped_at = case when n.status = 'dead' then 0 end
    from found as f
    where n.being_id = p_being_id and n.node_id = f.node_id
        -- Links of a chain of absorptions pass the credit on; only what was found and the final survivor keep it.
        and (n.node_id = any(p_node_ids) or n.absorbed_into is null) and n.forgotten_at is null;
end $$;
