-- Activation: recalling a node slows its fading.
--
-- INVARIANT  Being found raises reactivation_count once an answer (by 2 where the node is dead, else by 1),
--            sets last_activated, zeroes the session count, and makes a dying node active. A found node that
--            had been absorbed credits its final survivor as well, once an answer (patrol seed; DESIGN, "Activation").
--            A forgotten node is neither found nor credited.
create or replace function activate_nodes(p_being_id uuid, p_node_ids uuid[], p_found_at timestamptz) returns void
language plpgsql as $$
declare
    v_absorbers uuid[];
begin
    perform memory.lock_being(p_being_id);
    v_absorbers := memory.credit_nodes(p_being_id, p_node_ids, p_found_at);
    if v_absorbers is not null then
        -- The links of a chain of absorptions pass the credit on.
        perform memory.credit_nodes(p_being_id, array(
            with recursive absorber as (
                select node_id, memory.absorber_of(p_being_id, node_id) as absorbed_into
                from unnest(v_absorbers) as direct (node_id)
                union
                select absorbed_into, memory.absorber_of(p_being_id, absorbed_into)
                from absorber
                where absorbed_into is not null
            )
            select node_id from absorber where absorbed_into is null and node_id <> all (p_node_ids)
        ), p_found_at);
    end if;
end $$;

-- The node that has absorbed another, or null.
create or replace function absorber_of(p_being_id uuid, p_node_id uuid) returns uuid language sql stable
return (select absorbed_into from memory.memory_nodes where being_id = p_being_id and node_id = p_node_id);

-- Credits nodes that are not forgotten; returns the nodes that have absorbed some of them, or null.
create or replace function credit_nodes(p_being_id uuid, p_node_ids uuid[], p_found_at timestamptz) returns uuid[]
language plpgsql as $$
declare
    v_absorbers uuid[];
begin
    with credited as (
        update memory.memory_nodes as n
        set reactivation_count = n.reactivation_count + case when n.status = 'dead' then 2 else 1 end,
            last_activated = greatest(n.last_activated, p_found_at),
            status = case when n.status = 'dying' then 'active' else n.status end,
            session_count_base = case
                when n.status <> 'dead' then (select patrol_counter from memory.beings where being_id = p_being_id)
            end,
            final_session_count = case when n.status = 'dead' then 0 end
        where n.being_id = p_being_id and n.node_id = any(p_node_ids) and n.forgotten_at is null
        returning n.absorbed_into
    )
    select array_agg(absorbed_into) into v_absorbers from credited where absorbed_into is not null;
    return v_absorbers;
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
