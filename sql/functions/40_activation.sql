-- Activation: recalling a node slows its fading.
--
-- INVARIANT  Being found raises reactivation_count once an answer (by 2 where the node is dead, else by 1),
--            sets last_activated, zeroes the session count, and makes a dying node active. A found node that
--            had been absorbed credits its final survivor as well, once an answer (patrol seed; DESIGN, "Activation").
--            What was forgotten is neither found nor credited.
create or replace function activate_nodes(p_being_id uuid, p_node_ids uuid[], p_found_at timestamptz) returns void
language plpgsql as $$
declare
    v_counter bigint;
    -- Apart from the update, which looks each up by its key then: joined with them it may read all nodes of the Being.
    v_credited uuid[];
begin
    perform memory.lock_being(p_being_id);
    select patrol_counter into v_counter from memory.beings where being_id = p_being_id;
    with recursive found as (
        select n.node_id, n.absorbed_into
        from memory.memory_nodes as n
        where n.being_id = p_being_id and n.node_id = any(p_node_ids) and n.forgotten_at is null
        union
        select survivor.node_id, survivor.absorbed_into
        from found as f
        cross join lateral (
            select n.node_id, n.absorbed_into
            from memory.memory_nodes as n
            where n.being_id = p_being_id and n.node_id = f.absorbed_into
            limit 1
        ) as survivor
    )
    select array_agg(node_id) into v_credited from found;
    update memory.memory_nodes as n
    set reactivation_count = n.reactivation_count + case when n.status = 'dead' then 2 else 1 end,
        last_activated = greatest(n.last_activated, p_found_at),
        status = case when n.status = 'dying' then 'active' else n.status end,
        session_count_base = case when n.status <> 'dead' then v_counter end,
        final_session_count = case when n.status = 'dead' then 0 end
    where n.being_id = p_being_id and n.node_id = any(v_credited)
        -- Links of a chain of absorptions pass the credit on; only what was found and the final survivor keep it.
        and (n.node_id = any(p_node_ids) or n.absorbed_into is null) and n.forgotten_at is null;
end $$;

-- Activates nodes; if the lock on the Being is not free within p_patience, stores them in pending_activations and requests
-- work of p_kind with the row's id as its key, due p_after a while.
-- INVARIANT  A recall is counted or pending, never both, once the transaction commits.
create or replace function activate_or_keep(
    p_being_id uuid, p_node_ids uuid[], p_patience interval, p_kind text, p_queue text, p_after interval
) returns void language plpgsql as $$
declare
    v_activation_id uuid;
begin
    perform memory.wait_at_most(p_patience);
    perform memory.activate_nodes(p_being_id, p_node_ids, memory.now());
exception when lock_not_available then
    insert into memory.pending_activations (being_id, node_ids) values (p_being_id, p_node_ids)
    returning activation_id into v_activation_id;
    perform memory.ask_work(p_being_id, p_kind, v_activation_id::text, p_queue, clock_timestamp() + p_after);
end $$;

-- Counts a pending recall; does nothing if the row is gone. Raises lock_not_available after p_patience.
create or replace function activate_kept(p_being_id uuid, p_activation_id uuid, p_patience interval) returns void
language plpgsql as $$
begin
    perform memory.wait_at_most(p_patience);
    perform memory.activate_nodes(being_id, node_ids, found_at)
    from memory.pending_activations
    where being_id = p_being_id and activation_id = p_activation_id;
    delete from memory.pending_activations where being_id = p_being_id and activation_id = p_activation_id;
end $$;

-- Limits how long each later statement of the transaction waits for a lock.
create or replace function wait_at_most(p_patience interval) returns void language sql as $$
    select set_config('lock_timeout', (extract(epoch from p_patience) * 1000)::integer::text, true);
$$;
