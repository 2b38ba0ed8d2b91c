-- How mutes spread: by the trigger on muted_items, which adds to the same table until there is nothing to add. Data derived from
-- muted items is derived again.

-- Marks the data derived from items to be derived again, after the items were muted (p_muted_at is null), or unmuted.
create or replace function derive_again(p_owner_id uuid, p_kind text, p_item_ids uuid[], p_muted_at timestamptz) returns void
language plpgsql as $$
declare
    v_sessions uuid[];
begin
    if p_kind = 'message' then
        select array_agg(distinct m.session_id) into v_sessions
        from memory.messages as m
        where m.being_id = p_owner_id and m.message_id = any(p_item_ids);
        -- Summaries that went on without messages that are shown again are written again from there.
        update memory.messages as m
        set rolling_version = coalesce(m.rolling_version, later.rolling),
            spine_version = coalesce(m.spine_version, case when m.in_confidence then later.own_spine else later.spine end)
        from (
            select min(after.rolling_version) filter (where after.being_id = p_owner_id and after.rolling_version > 0) as rolling,
                min(after.spine_version) filter (where not after.in_confidence and after.spine_version > 0) as spine,
                min(after.spine_version) filter (
                    where after.being_id = p_owner_id and after.in_confidence and after.spine_version > 0
                ) as own_spine
            from memory.beings as own
            join memory.beings as b on b.user_id = own.user_id
            join memory.messages as after on after.being_id = b.being_id
            where own.being_id = p_owner_id and p_muted_at is not null and (after.created_at, after.message_id) > (
                select first.created_at, first.message_id
                from memory.messages as first
                where first.being_id = p_owner_id and first.message_id = any(p_item_ids)
                order by first.created_at, first.message_id
                limit 1
            )
        ) as later
        where p_muted_at is not null and m.being_id = p_owner_id and m.message_id = any(p_item_ids) and m.role <> 'other';
        if exists (
            select from memory.messages as m
            where m.being_id = p_owner_id and m.message_id = any(p_item_ids) and (m.rolling_version > 0 or m.spine_version > 0)
        ) or exists (
            select from memory.session_summaries as s where s.being_id = p_owner_id and s.session_id = any(v_sessions)
        ) or exists (
            select from memory.session_impressions as i
            where i.being_id = p_owner_id and (i.session_id = any(v_sessions) or i.message_ids && p_item_ids)
        ) then
            perform memory.forget_in_summaries(p_owner_id, p_item_ids);
        end if;
        -- Version 0 is of a message that summaries pass over in any case.
        update memory.messages as m
        set rolling_version = case when m.rolling_version = 0 then 0 end, spine_version = case when m.spine_version = 0 then 0 end
        where m.being_id = p_owner_id and m.message_id = any(p_item_ids) and (m.rolling_version > 0 or m.spine_version > 0);
        update memory.sessions as s set summary_due = true
        where s.being_id = p_owner_id and s.session_id = any(v_sessions) and not s.summary_due;
    elsif p_kind = 'node' then
        update memory.node_vectors as v
        set living = found.living, standing = found.standing
        from memory.memory_nodes as n
        cross join lateral memory.finds_node(n.being_id, n.node_id, n.status, n.forgotten_at, n.absorbed_into) as found
        where v.being_id = p_owner_id and v.node_id = any(p_item_ids) and n.being_id = v.being_id and n.node_id = v.node_id;
        update memory.clusters
        set name = case when named_by = 'person' then name else 'Unnamed' end,
            named_by = case when named_by = 'person' then named_by else 'words' end, name_outdated = true
        where being_id = p_owner_id and not is_parent and named_from && p_item_ids
            and not memory.is_muted(being_id, 'topic', cluster_id);
        update memory.souls set think_md = '', thought_at = null where being_id = p_owner_id and think_md <> '';
        delete from memory.session_snapshot where being_id = p_owner_id;
        delete from memory.model_responses where owner_id = p_owner_id and not retained and kind like 'patrol.%';
        -- The newest page, written without them, is written again by the next run.
        delete from memory.diary as d
        where d.being_id = p_owner_id and d.written_at > p_muted_at
            and d.day = (select max(newest.day) from memory.diary as newest where newest.being_id = p_owner_id);
    end if;
end $$;

create or replace function spread_mutes() returns trigger language plpgsql as $$
begin
    if not exists (select from new_rows) then
        return null;
    end if;
    insert into memory.muted_items (owner_id, kind, item_id, user_id, mute_id, spreads)
    -- Topics, and the memories that are part of a memory or that it is part of.
    select n.being_id, 'node', n.node_id, x.user_id, x.mute_id, x.spreads
    from new_rows as x
    join memory.memory_nodes as n on n.being_id = x.owner_id and n.cluster_id = x.item_id
    where x.kind = 'topic'
    union
    select n.being_id, 'node', n.node_id, x.user_id, x.mute_id, x.spreads
    from new_rows as x
    join memory.memory_nodes as n on n.being_id = x.owner_id and n.absorbed_into = x.item_id
    where x.kind = 'node'
    union
    select n.being_id, 'node', n.absorbed_into, x.user_id, x.mute_id, x.spreads
    from new_rows as x
    join memory.memory_nodes as n on n.being_id = x.owner_id and n.node_id = x.item_id
    where x.kind = 'node' and n.absorbed_into is not null
    union
    -- The messages under memories and facts.
    select s.being_id, 'message', s.message_id, x.user_id, x.mute_id, true
    from new_rows as x
    join memory.memory_nodes as n on n.being_id = x.owner_id and n.node_id = x.item_id
    join memory.scene_messages as s on s.being_id = n.being_id and s.note_id = n.note_id
    where x.kind = 'node' and x.spreads
    union
    select e.being_id, 'message', e.message_id, x.user_id, x.mute_id, false
    from new_rows as x
    join memory.fact_statements as s on s.user_id = x.user_id and s.fact_id = x.item_id
    join memory.fact_evidence as e on e.user_id = s.user_id and e.statement_id = s.statement_id
    where x.kind = 'fact' and x.spreads and e.message_id is not null
    union
    -- The Being's answers repeat the user's messages, and each Being in a room has its copy.
    select copy.being_id, 'message', copy.message_id, x.user_id, x.mute_id, x.spreads
    from new_rows as x
    join memory.beings as b on b.user_id = x.user_id
    join memory.messages as copy on copy.being_id = b.being_id and copy.message_id = x.item_id
    where x.kind = 'message'
    union
    select x.owner_id, 'message', answers.message_id, x.user_id, x.mute_id, false
    from new_rows as x
    join memory.messages as m on m.being_id = x.owner_id and m.message_id = x.item_id
    cross join lateral memory.answers_to(m) as answers (message_id)
    where x.kind = 'message' and m.role = 'user'
    union
    -- The memories and todos on messages, and days of memories; facts follow below.
    select n.being_id, 'node', n.node_id, x.user_id, x.mute_id, false
    from new_rows as x
    join memory.scene_messages as s on s.being_id = x.owner_id and s.message_id = x.item_id
    join memory.memory_nodes as n on n.being_id = s.being_id and n.note_id = s.note_id
    where x.kind = 'message'
    union
    select e.being_id, 'todo', e.todo_id, x.user_id, x.mute_id, false
    from new_rows as x
    join memory.todo_evidence as e on e.being_id = x.owner_id and e.message_id = x.item_id
    where x.kind = 'message'
    union
    select x.owner_id, 'diary', memory.search_id(to_char(page.day, 'YYYYMMDD')), x.user_id, x.mute_id, false
    from new_rows as x
    cross join lateral (
        select d.day
        from memory.diary as d
        where d.being_id = x.owner_id and d.last_node_id >= x.item_id
        order by d.last_node_id, d.day
        limit 1
    ) as page
    where x.kind = 'node'
    order by spreads desc
    on conflict do nothing;
    perform memory.mute_facts_of(x.user_id, array_agg(distinct s.fact_id))
    from new_rows as x
    join memory.fact_evidence as e on e.being_id = x.owner_id and e.message_id = x.item_id
    join memory.fact_statements as s on s.user_id = e.user_id and s.statement_id = e.statement_id
    where x.kind = 'message' and x.spreads
    group by x.user_id;
    perform memory.derive_again(changed.owner_id, changed.kind, changed.item_ids, null)
    from (
        select x.owner_id, x.kind, array_agg(distinct x.item_id) as item_ids
        from new_rows as x
        where not exists (
            select from memory.muted_items as y
            where y.owner_id = x.owner_id and y.kind = x.kind and y.item_id = x.item_id and y.mute_id <> x.mute_id
        )
        group by x.owner_id, x.kind
        order by x.owner_id, x.kind
    ) as changed;
    return null;
end $$;
create or replace trigger spread_mutes after insert on muted_items
    referencing new table as new_rows for each statement execute function spread_mutes();

create or replace function lift_mutes() returns trigger language plpgsql as $$
begin
    perform memory.derive_again(changed.owner_id, changed.kind, changed.item_ids, changed.muted_at)
    from (
        select x.owner_id, x.kind, array_agg(distinct x.item_id) as item_ids, min(x.muted_at) as muted_at
        from old_rows as x
        where not memory.is_muted(x.owner_id, x.kind, x.item_id)
        group by x.owner_id, x.kind
        order by x.owner_id, x.kind
    ) as changed;
    return null;
end $$;
create or replace trigger lift_mutes after delete on muted_items
    referencing old table as old_rows for each statement execute function lift_mutes();
