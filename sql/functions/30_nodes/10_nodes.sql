-- Nodes as answers show them, and the changes that people make to them.

create or replace function node_not_found(p_node_id uuid) returns void language plpgsql as $$
begin
    raise exception using errcode = 'MP002', message = format('This Being has no memory node %s.', p_node_id);
end $$;

-- Serializes the writers of one Being's memory; called before any node, cluster, note or run is locked (05_locks.sql).
create or replace function lock_being(p_being_id uuid) returns void language plpgsql as $$
begin
    perform memory.hold_owner(p_being_id);
    perform memory.lock_muted_talk(p_being_id);
    perform 1 from memory.beings where being_id = p_being_id for no key update;
    if not found then
        raise exception using errcode = 'MP002', message = format('There is no Being %s.', p_being_id);
    end if;
end $$;

-- eff_imp = importance × exp(−session_count / 30); a pinned node does not decay (patrol seed). Postgres raises an error for
-- results too small for a double, so the formula ends far below any value that matters.
create or replace function effective_importance(p_importance double precision, p_session_count bigint, p_pinned boolean)
returns double precision language sql immutable parallel safe
return case
    when p_pinned then p_importance
    when p_importance < 1e-100 or p_session_count > 6000 then 0
    else p_importance * exp(-p_session_count / 30.0::double precision)
end;

create or replace view seen_nodes with (security_invoker = true) as
select
    n.being_id, n.node_id, n.note_id, n.run_id, n.cluster_id, n.scene, n.feeling, n.themes, n.emotion, n.importance,
    n.status, n.fresh, n.pinned, n.reactivation_count, n.last_activated, n.absorbed_into, n.forgotten_at, n.created_at,
    n.text_hash, n.fades_at_counter,
    counts.session_count,
    memory.effective_importance(n.importance, counts.session_count, n.pinned) as effective_importance,
    n.fades_at_counter - b.patrol_counter as patrols_left
from memory.memory_nodes as n
join memory.beings as b using (being_id),
lateral (select coalesce(b.patrol_counter - n.session_count_base, n.final_session_count) as session_count) as counts;

-- Topics without the average of their nodes' vectors and the state that it is computed from, which are 15 KB for 1,536
-- numbers, and 45 as text.
create or replace view seen_clusters with (security_invoker = true) as
select
    being_id, cluster_id, name, is_parent, parent_id, nodes, active_nodes, fresh_nodes, dying_nodes, named_by,
    arrivals_since_split, created_at, removed_at, merged_into
from memory.clusters;

-- Pinning keeps a node from fading. A dying one becomes active; a dead one must be revived first.
create or replace function pin_node(p_being_id uuid, p_node_id uuid) returns void language plpgsql as $$
declare
    v_counter bigint;
    v_status text;
begin
    perform memory.lock_being(p_being_id);
    select patrol_counter into v_counter from memory.beings where being_id = p_being_id;
    select status into v_status from memory.memory_nodes where being_id = p_being_id and node_id = p_node_id;
    if v_status is null then
        perform memory.node_not_found(p_node_id);
    elsif v_status = 'dead' then
        raise exception using errcode = 'MP003',
            message = 'A dead memory can''t be pinned: revive it first, then pin it.';
    end if;
    update memory.memory_nodes
    set pinned = true, status = 'active', session_count_base = coalesce(session_count_base, v_counter - final_session_count), final_session_count = null
    where being_id = p_being_id and node_id = p_node_id;
end $$;

create or replace function unpin_node(p_being_id uuid, p_node_id uuid) returns void language plpgsql as $$
begin
    perform memory.lock_being(p_being_id);
    update memory.memory_nodes set pinned = false where being_id = p_being_id and node_id = p_node_id;
    if not found then
        perform memory.node_not_found(p_node_id);
    end if;
end $$;

-- Stores the values that a person's change is about to overwrite, for the line of the history that the change writes.
create or replace function note_before(p_being_id uuid, p_node_id uuid) returns void language sql as $$
    select set_config('memory.before', jsonb_build_object(
        'status', status, 'session_count_base', session_count_base, 'final_session_count', final_session_count,
        'reactivations_at_death', reactivations_at_death, 'last_activated', last_activated,
        'absorbed_into', absorbed_into, 'forgotten_at', forgotten_at
    )::text, true)
    from memory.memory_nodes
    where being_id = p_being_id and node_id = p_node_id;
$$;

-- Forgetting on request: the node is dead, nothing finds it and no patrol revives it; revive_node undoes it.
create or replace function forget_node(p_being_id uuid, p_node_id uuid) returns void language plpgsql as $$
declare
    v_counter bigint;
    v_pinned boolean;
begin
    perform memory.lock_being(p_being_id);
    select patrol_counter into v_counter from memory.beings where being_id = p_being_id;
    select pinned into v_pinned from memory.memory_nodes where being_id = p_being_id and node_id = p_node_id;
    if v_pinned is null then
        perform memory.node_not_found(p_node_id);
    elsif v_pinned then
        raise exception using errcode = 'MP003',
            message = 'A pinned memory is not forgotten: unpin it first, then forget it.';
    end if;
    perform memory.note_before(p_being_id, p_node_id);
    update memory.memory_nodes
    set status = 'dead', forgotten_at = coalesce(forgotten_at, memory.now()),
        final_session_count = coalesce(final_session_count, v_counter - session_count_base), session_count_base = null,
        reactivations_at_death = coalesce(reactivations_at_death, reactivation_count)
    where being_id = p_being_id and node_id = p_node_id;
    perform set_config('memory.before', '', true);
end $$;

-- Brings a dying, dead, absorbed or forgotten node back by request, as if it had just been recalled.
create or replace function revive_node(p_being_id uuid, p_node_id uuid) returns void language plpgsql as $$
declare
    v_counter bigint;
begin
    perform memory.lock_being(p_being_id);
    select patrol_counter into v_counter from memory.beings where being_id = p_being_id;
    perform memory.note_before(p_being_id, p_node_id);
    update memory.memory_nodes
    set status = 'active', session_count_base = v_counter, final_session_count = null, forgotten_at = null, absorbed_into = null,
        reactivations_at_death = null, last_activated = memory.now()
    where being_id = p_being_id and node_id = p_node_id;
    if not found then
        perform memory.node_not_found(p_node_id);
    end if;
    perform set_config('memory.before', '', true);
end $$;

-- Undoes a person's latest forgetting or reviving, if it is the last event of the node's state: the
-- node gets the state that it would have without it, at the age that it would have by now.
create or replace function undo_node(p_being_id uuid, p_node_id uuid) returns void language plpgsql as $$
declare
    v_before jsonb;
begin
    perform memory.lock_being(p_being_id);
    select detail -> 'before' into v_before
    from memory.node_history
    where being_id = p_being_id and node_id = p_node_id
        and event in ('born', 'dying', 'absorbed', 'forgotten', 'dead', 'active again', 'pinned')
    order by event_id desc
    limit 1;
    if not found then
        perform memory.node_not_found(p_node_id);
    elsif v_before is null then
        raise exception using errcode = 'MP003',
            message = 'Nothing can be undone: the last change of this memory''s state was not a person''s forgetting or reviving.';
    elsif v_before ->> 'absorbed_into' is not null and not exists (
        select from memory.memory_nodes
        where being_id = p_being_id and node_id = (v_before ->> 'absorbed_into')::uuid
    ) then
        raise exception using errcode = 'MP003',
            message = 'This can''t be undone: the memory that had absorbed this one was erased.';
    end if;
    update memory.memory_nodes as n
    set (status, session_count_base, final_session_count, reactivations_at_death, last_activated, absorbed_into, forgotten_at) = (
        select r.status, r.session_count_base, r.final_session_count, r.reactivations_at_death, r.last_activated,
            r.absorbed_into, r.forgotten_at
        from jsonb_populate_record(null::memory.memory_nodes, v_before) as r
    )
    where n.being_id = p_being_id and n.node_id = p_node_id;
end $$;

-- Whether recall finds a node by its vector (living), and whether anything does (standing): neither finds a muted one.
create or replace function finds_node(
    p_being_id uuid, p_node_id uuid, p_status text, p_forgotten_at timestamptz, p_absorbed_into uuid
) returns table (living boolean, standing boolean) language sql stable as $$
    select p_status <> 'dead' and told, p_forgotten_at is null and p_absorbed_into is null and told
    from (
        select not exists (
            select from memory.muted_items as x
            where x.owner_id = p_being_id and x.kind = 'node' and x.item_id = p_node_id
        ) as told
    ) as muted;
$$;

-- Gives nodes the vectors of their words.
create or replace function put_vectors(p_being_id uuid, p_embedding_model text, p_node_ids uuid[], p_vectors halfvec[])
returns void language sql as $$
    insert into memory.node_vectors (being_id, node_id, embedding_model, living, standing, vector)
    select n.being_id, n.node_id, p_embedding_model, found.living, found.standing, put.vector
    from unnest(p_node_ids, p_vectors) as put (node_id, vector)
    join memory.memory_nodes as n on n.being_id = p_being_id and n.node_id = put.node_id
    cross join lateral memory.finds_node(n.being_id, n.node_id, n.status, n.forgotten_at, n.absorbed_into) as found
    on conflict (being_id, node_id) do update
    set embedding_model = excluded.embedding_model, vector = excluded.vector;
$$;

-- Replaces a node's words and the values computed from them. False, and nothing changed, where the node's words are not those
-- that the caller has read, or the Being's vectors are of another model by now: read again, and correct that.
create or replace function correct_node(
    p_being_id uuid, p_node_id uuid, p_read jsonb, p_scene jsonb, p_feeling text, p_themes text[], p_emotion jsonb,
    p_importance double precision, p_text_hash bytea, p_embedding_model text, p_vector halfvec
) returns boolean language plpgsql as $$
declare
    v_said jsonb;
begin
    perform memory.lock_being(p_being_id);
    select jsonb_build_object(
        'scene', scene, 'feeling', feeling, 'themes', themes, 'emotion', emotion, 'importance', importance
    ) into v_said
    from memory.memory_nodes
    where being_id = p_being_id and node_id = p_node_id;
    if v_said is null then
        perform memory.node_not_found(p_node_id);
    end if;
    if v_said <> p_read
        or (select embedding_model from memory.beings where being_id = p_being_id) <> p_embedding_model then
        return false;
    end if;
    update memory.memory_nodes
    set scene = p_scene, feeling = p_feeling, themes = p_themes, emotion = p_emotion, importance = p_importance,
        text_hash = p_text_hash
    where being_id = p_being_id and node_id = p_node_id;
    perform memory.put_vectors(p_being_id, p_embedding_model, array[p_node_id], array[p_vector]);
    return true;
end $$;

-- Lets a model serve a Being: every node takes its kept vector of that model, in one statement, so that the clusters'
-- accounts change their dimensions at once. False, and nothing changed, while a node's vector is missing.
create or replace function serve_model(p_being_id uuid, p_model text) returns boolean language plpgsql as $$
begin
    perform memory.lock_being(p_being_id);
    if exists (
        select from memory.memory_nodes as n
        where n.being_id = p_being_id and not exists (
            select from memory.node_vectors as v
            where v.being_id = p_being_id and v.node_id = n.node_id and v.embedding_model = p_model
        ) and not exists (
            select from memory.embeddings as e
            where e.being_id = p_being_id and e.embedding_model = p_model and e.text_hash = n.text_hash
        )
    ) then
        return false;
    end if;
    insert into memory.node_vectors as v (being_id, node_id, embedding_model, living, standing, vector)
    select n.being_id, n.node_id, p_model, found.living, found.standing, e.vector
    from memory.memory_nodes as n
    cross join lateral memory.finds_node(n.being_id, n.node_id, n.status, n.forgotten_at, n.absorbed_into) as found
    join memory.embeddings as e
        on e.being_id = p_being_id and e.embedding_model = p_model and e.text_hash = n.text_hash
    where n.being_id = p_being_id
    on conflict (being_id, node_id) do update
    set embedding_model = excluded.embedding_model, vector = excluded.vector
    where v.embedding_model <> p_model;
    update memory.beings set embedding_model = p_model where being_id = p_being_id;
    delete from memory.embeddings where being_id = p_being_id;
    return true;
end $$;
