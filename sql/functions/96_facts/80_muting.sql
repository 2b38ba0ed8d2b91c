-- How mutes reach things (the invariants are in 30_nodes/20_mutes.sql). A rule names what a mute means; from there a mute spreads by the
-- trigger on muted_items, which adds to the same table until there is nothing to add.
--
-- LOCK  Who makes a mute holds the user's row alone, by which all of the rest may follow in any order (05_locks.sql). What comes
--       in, is judged or changes later may reach the talk of each of the user's Beings: a transaction that locks any talk, the
--       facts or a Being's memory locks the talk of all of them first, where the user has mutes (lock_muted_talk).

-- The patterns by which texts name muted entities: the names that stand for each as whole words, but in scripts without spaces,
-- and in Russian with any ending.
create or replace function muted_names(p_user_id uuid) returns table (mute_id uuid, pattern text) language sql stable as $$
    select m.mute_id, string_agg(distinct words.pattern, '|')
    from memory.mutes as m
    cross join lateral (
        select a.alias_ref from memory.entity_aliases as a
        where a.user_id = m.user_id and a.entity_ref = memory.entity_of(m.user_id, m.name)
        union
        select m.name
    ) as alias
    cross join lateral (
        select l.label from memory.entity_labels as l where l.user_id = m.user_id and l.alias_ref = alias.alias_ref
        union
        select replace(substr(alias.alias_ref, strpos(alias.alias_ref, ':') + 1), '_', ' ')
    ) as called
    cross join lateral (
        select regexp_replace(regexp_replace(trim(called.label), '([^[:alnum:][:space:]])', '\\\1', 'g'), '\s+', '[\s_-]+', 'g')
    ) as plain (word)
    cross join lateral (
        select case
            when called.label ~ '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]' then plain.word
            when called.label ~ '[\u0400-\u04ff]$' then '\m' || regexp_replace(plain.word, '[аяйьеиоуюыэ]$', '') || '[[:alpha:]]{0,3}\M'
            else '\m' || plain.word || '\M'
        end as pattern
    ) as words
    where m.user_id = p_user_id and m.kind = 'entity' and plain.word <> ''
    group by m.mute_id;
$$;

-- Mutes facts by what the mutes of their user mean; null: all facts, or all mutes.
create or replace function mute_facts(p_user_id uuid, p_fact_ids uuid[], p_mute_ids uuid[] default null) returns void
language plpgsql as $$
begin
    update memory.mutes as m
    set memory_key = sha256(convert_to(f.memory_key, 'UTF8'))
    from memory.facts as f
    where m.user_id = p_user_id and m.kind = 'fact' and f.user_id = m.user_id and f.fact_id = m.item_id
        and m.memory_key is distinct from sha256(convert_to(f.memory_key, 'UTF8'));
    insert into memory.muted_items (owner_id, kind, item_id, user_id, mute_id, spreads)
    select coalesce(f.being_id, f.user_id), 'fact', f.fact_id, m.user_id, m.mute_id, true
    from memory.mutes as m
    left join memory.muted_names(p_user_id) as n on n.mute_id = m.mute_id
    join memory.facts as f on f.user_id = m.user_id
    where m.user_id = p_user_id and m.kind in ('fact', 'entity') and (p_mute_ids is null or m.mute_id = any(p_mute_ids))
        and (p_fact_ids is null or f.fact_id = any(p_fact_ids))
        and case m.kind
            when 'fact' then f.fact_id = m.item_id
                or sha256(convert_to(f.memory_key, 'UTF8')) = m.memory_key and f.being_id is not distinct from m.being_id
            else memory.entity_of(m.user_id, m.name) = any(f.entity_refs) or f.content ~* n.pattern or f.entity_label ~* n.pattern
        end
    union
    -- The scope of a fact may change, and a fact may be made of one that was muted.
    select coalesce(f.being_id, f.user_id), 'fact', f.fact_id, x.user_id, x.mute_id, x.spreads
    from memory.facts as f
    join memory.facts as source on source.user_id = f.user_id
        and (source.fact_id = f.fact_id or source.folded_into = f.fact_id)
    join memory.muted_items as x on x.kind = 'fact' and x.item_id = source.fact_id and x.user_id = f.user_id
        and x.owner_id in (f.user_id, source.being_id, f.being_id)
    where f.user_id = p_user_id and f.fact_id = any(p_fact_ids) and x.user_id = p_user_id
    on conflict do nothing;
end $$;

-- The facts that say something which rests on muted messages alone, of those whose mute takes facts along.
create or replace function mute_facts_of(p_user_id uuid, p_fact_ids uuid[]) returns void language sql as $$
    insert into memory.muted_items (owner_id, kind, item_id, user_id, mute_id, spreads)
    select distinct coalesce(f.being_id, f.user_id), 'fact', f.fact_id, p_user_id, x.mute_id, false
    from memory.facts as f
    join memory.fact_statements as s on s.user_id = f.user_id and s.fact_id = f.fact_id
    join memory.fact_evidence as e on e.user_id = s.user_id and e.statement_id = s.statement_id
    join memory.muted_items as x on x.owner_id = e.being_id and x.kind = 'message' and x.item_id = e.message_id and x.spreads
    where f.user_id = p_user_id and f.fact_id = any(p_fact_ids) and s.source <> 'corrected' and not exists (
        select from memory.fact_evidence as other
        where other.user_id = s.user_id and other.statement_id = s.statement_id and not exists (
            select from memory.muted_items as y
            where y.owner_id = other.being_id and y.kind = 'message' and y.item_id = other.message_id and y.spreads
        )
    )
    on conflict do nothing;
$$;

-- Mutes nodes, and topics, of a Being by what the mutes of its user mean, and by the messages that they rest on.
create or replace function mute_nodes(p_being_id uuid, p_node_ids uuid[], p_mute_ids uuid[] default null) returns void
language plpgsql as $$
declare
    v_user_id constant uuid := (select user_id from memory.beings where being_id = p_being_id);
begin
    insert into memory.muted_items (owner_id, kind, item_id, user_id, mute_id, spreads)
    select p_being_id, 'topic', topic_id, m.user_id, m.mute_id, true as spreads
    from memory.mutes as m, unnest(m.topics || m.item_id) as topic_id
    where m.user_id = v_user_id and m.being_id = p_being_id and m.kind = 'topic'
        and (p_mute_ids is null or m.mute_id = any(p_mute_ids))
    union
    -- A name that a person gave stays; others are made again.
    select p_being_id, 'topic', c.cluster_id, v_user_id, named.mute_id, true
    from memory.muted_names(v_user_id) as named
    join memory.clusters as c on c.being_id = p_being_id and c.name ~* named.pattern
    where c.named_by = 'person' and not c.is_parent and (p_mute_ids is null or named.mute_id = any(p_mute_ids))
    union
    select p_being_id, 'node', n.node_id, m.user_id, m.mute_id, true
    from memory.mutes as m
    left join memory.muted_names(v_user_id) as named on named.mute_id = m.mute_id
    join memory.memory_nodes as n on n.being_id = p_being_id
    where m.user_id = v_user_id and m.kind in ('node', 'entity') and (p_mute_ids is null or m.mute_id = any(p_mute_ids))
        and (p_node_ids is null or n.node_id = any(p_node_ids))
        and case m.kind
            when 'node' then m.being_id = p_being_id and m.item_id = n.node_id
            else n.scene::text ~* named.pattern or n.feeling ~* named.pattern
        end
    union
    select p_being_id, 'node', n.node_id, x.user_id, x.mute_id, true
    from memory.memory_nodes as n
    join memory.muted_items as x on x.owner_id = n.being_id and x.kind = 'topic' and x.item_id = n.cluster_id
    where n.being_id = p_being_id and n.node_id = any(p_node_ids)
    union
    select p_being_id, 'node', n.node_id, x.user_id, x.mute_id, false
    from memory.memory_nodes as n
    join memory.scene_messages as s on s.being_id = n.being_id and s.note_id = n.note_id
    join memory.muted_items as x on x.owner_id = s.being_id and x.kind = 'message' and x.item_id = s.message_id
    where n.being_id = p_being_id and n.node_id = any(p_node_ids)
    union
    select p_being_id, 'node', n.node_id, x.user_id, x.mute_id, x.spreads
    from memory.memory_nodes as n
    join memory.muted_items as x on x.owner_id = n.being_id and x.kind = 'node' and x.item_id = n.absorbed_into
    where n.being_id = p_being_id and n.node_id = any(p_node_ids)
    union
    select p_being_id, 'node', part.absorbed_into, x.user_id, x.mute_id, x.spreads
    from memory.memory_nodes as part
    join memory.muted_items as x on x.owner_id = part.being_id and x.kind = 'node' and x.item_id = part.node_id
    where part.being_id = p_being_id and part.node_id = any(p_node_ids) and part.absorbed_into is not null
    -- Of two reasons for one mute the one that takes facts along holds.
    order by spreads desc
    on conflict do nothing;
end $$;

-- The Being's messages after one of the user's, up to the user's next.
create or replace function answers_to(p_message messages) returns setof uuid language sql stable as $$
    select a.message_id
    from memory.messages as a
    where a.being_id = p_message.being_id and a.session_id = p_message.session_id and a.role = 'assistant'
        and (a.created_at, a.message_id) > (p_message.created_at, p_message.message_id) and not exists (
            select from memory.messages as b
            where b.being_id = a.being_id and b.session_id = a.session_id and b.role = 'user'
                and (b.created_at, b.message_id) > (p_message.created_at, p_message.message_id)
                and (b.created_at, b.message_id) < (a.created_at, a.message_id)
        );
$$;

-- Mutes messages of a Being by what the mutes of its user mean.
create or replace function mute_messages(p_being_id uuid, p_message_ids uuid[], p_mute_ids uuid[] default null) returns void
language plpgsql as $$
declare
    v_user_id constant uuid := (select user_id from memory.beings where being_id = p_being_id);
begin
    insert into memory.muted_items (owner_id, kind, item_id, user_id, mute_id, spreads)
    select p_being_id, 'message', s.message_id, m.user_id, m.mute_id, m.kind <> 'entity'
    from memory.mutes as m
    left join memory.muted_names(v_user_id) as n on n.mute_id = m.mute_id
    join memory.messages as s on s.being_id = p_being_id
    where m.user_id = v_user_id and m.kind in ('conversation', 'message', 'entity')
        and (p_mute_ids is null or m.mute_id = any(p_mute_ids))
        and (p_message_ids is null or s.message_id = any(p_message_ids))
        and case m.kind
            when 'conversation' then m.being_id = p_being_id and m.name = s.conversation
            when 'message' then m.being_id = p_being_id and m.item_id = s.message_id
            else s.content ~* n.pattern or s.speaker ~* n.pattern
        end
    union
    select p_being_id, 'message', s.message_id, x.user_id, x.mute_id, false
    from memory.messages as s
    cross join lateral (
        select m.message_id
        from memory.messages as m
        where m.being_id = s.being_id and m.session_id = s.session_id and m.role = 'user'
            and (m.created_at, m.message_id) < (s.created_at, s.message_id)
        order by m.created_at desc, m.message_id desc
        limit 1
    ) as answered
    join memory.muted_items as x on x.owner_id = s.being_id and x.kind = 'message' and x.item_id = answered.message_id
    where s.being_id = p_being_id and s.message_id = any(p_message_ids) and s.role = 'assistant'
    union
    select p_being_id, 'message', s.message_id, x.user_id, x.mute_id, x.spreads
    from memory.messages as s
    join memory.beings as b on b.user_id = v_user_id
    join memory.muted_items as x on x.owner_id = b.being_id and x.kind = 'message' and x.item_id = s.message_id
    where s.being_id = p_being_id and s.message_id = any(p_message_ids)
    on conflict do nothing;
end $$;

-- Mutes the todos, notes, days of the diary and vault records of a user that name a muted entity.
create or replace function mute_texts(p_user_id uuid, p_mute_ids uuid[], p_item_ids uuid[] default null) returns void
language sql as $$
    insert into memory.muted_items (owner_id, kind, item_id, user_id, mute_id, spreads)
    select text.owner_id, text.kind, text.item_id, p_user_id, n.mute_id, false
    from memory.muted_names(p_user_id) as n
    cross join lateral (
        select t.being_id as owner_id, 'todo' as kind, t.todo_id as item_id, t.content as words
        from memory.beings as b join memory.todos as t using (being_id)
        where b.user_id = p_user_id
        union all
        select o.being_id, 'knowledge', o.note_id, concat_ws(' ', o.title, o.content #>> '{}')
        from memory.beings as b join memory.notes as o using (being_id)
        where b.user_id = p_user_id and o.type <> 'scene'
        union all
        select d.being_id, 'diary', memory.search_id(to_char(d.day, 'YYYYMMDD')), d.text
        from memory.beings as b join memory.diary as d using (being_id)
        where b.user_id = p_user_id
        union all
        select coalesce(h.being_id, h.user_id), 'vault', memory.search_id(h.id), concat_ws(' ', r.topic_id, r.text)
        from memory.vault_heads as h join memory.vault_records as r using (user_id, id, version)
        where h.user_id = p_user_id
    ) as text
    where (p_mute_ids is null or n.mute_id = any(p_mute_ids)) and (p_item_ids is null or text.item_id = any(p_item_ids))
        and text.words ~* n.pattern
    on conflict do nothing;
$$;

-- Applies mutes to all that their user has.
create or replace function apply_mutes(p_user_id uuid, p_mute_ids uuid[]) returns void language sql as $$
    select memory.mute_facts(p_user_id, null, p_mute_ids);
    select memory.mute_nodes(being_id, null, p_mute_ids), memory.mute_messages(being_id, null, p_mute_ids)
    from memory.beings where user_id = p_user_id order by being_id;
    select memory.mute_texts(p_user_id, p_mute_ids);
$$;

-- Has what was derived from items derived again, after they were muted (p_muted_at is null), or are muted no more.
create or replace function derive_again(p_owner_id uuid, p_kind text, p_item_ids uuid[], p_muted_at timestamptz) returns void
language plpgsql as $$
declare
    v_sessions uuid[];
begin
    if p_kind = 'message' then
        select array_agg(distinct m.session_id) into v_sessions
        from memory.messages as m
        where m.being_id = p_owner_id and m.message_id = any(p_item_ids);
        -- Summaries that went on without what is told again are written again from there.
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
    -- Topics, and what is part of a memory, or what that is part of.
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
    -- What memories and facts rest on.
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
    -- The Being's answers repeat what was said to it, and each Being in a room has its copy.
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
    -- What rests on messages, and days of memories.
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

create or replace function has_mutes(p_user_id uuid) returns boolean language sql stable
return exists (select from memory.mutes where user_id = p_user_id);

create or replace function lock_muted_talk(p_owner_id uuid) returns void language plpgsql as $$
declare
    v_user_id constant uuid := coalesce((select user_id from memory.beings where being_id = p_owner_id), p_owner_id);
begin
    if memory.has_mutes(v_user_id) then
        insert into memory.session_states (being_id)
        select being_id from memory.beings where user_id = v_user_id order by being_id
        on conflict do nothing;
        perform 1 from memory.session_states
        where being_id = any(array(select being_id from memory.beings where user_id = v_user_id))
        order by being_id
        for update;
    end if;
end $$;

create or replace function has_mutes_for(p_being_id uuid) returns boolean language sql stable
return exists (
    select from memory.beings as b join memory.mutes as m on m.user_id = b.user_id where b.being_id = p_being_id
);

create or replace function mute_new_messages() returns trigger language plpgsql as $$
begin
    perform memory.mute_messages(being_id, array_agg(message_id))
    from new_rows group by being_id having memory.has_mutes_for(being_id);
    return null;
end $$;
create or replace trigger mute_new_messages after insert on messages
    referencing new table as new_rows for each statement execute function mute_new_messages();

create or replace function mute_changed_node() returns trigger language plpgsql as $$
begin
    if memory.has_mutes_for(new.being_id) then
        perform memory.mute_nodes(new.being_id, array[new.node_id]);
    end if;
    return null;
end $$;
create or replace trigger mute_new_nodes after insert on memory_nodes
    for each row execute function mute_changed_node();
create or replace trigger mute_changed_nodes after update of cluster_id, scene, feeling, absorbed_into on memory_nodes
    for each row when (
        (old.cluster_id, old.scene, old.feeling, old.absorbed_into)
            is distinct from (new.cluster_id, new.scene, new.feeling, new.absorbed_into)
    )
    execute function mute_changed_node();

create or replace function mute_changed_fact() returns trigger language plpgsql as $$
begin
    if memory.has_mutes(new.user_id) then
        perform memory.mute_facts(new.user_id, array[new.fact_id, new.folded_into]);
    end if;
    return null;
end $$;
create or replace trigger mute_new_facts after insert on facts for each row execute function mute_changed_fact();
create or replace trigger mute_changed_facts after update of memory_key, entity_refs, content, being_id, folded_into on facts
    for each row when (
        (old.memory_key, old.entity_refs, old.content, old.being_id, old.folded_into)
            is distinct from (new.memory_key, new.entity_refs, new.content, new.being_id, new.folded_into)
    )
    execute function mute_changed_fact();

-- Words that support a muted fact are muted, and a fact that rests on muted words alone.
create or replace function mute_evidence() returns trigger language plpgsql as $$
declare
    v_row record;
begin
    for v_row in select user_id, array_agg(evidence_id) as ids from new_rows group by user_id loop
        continue when not memory.has_mutes(v_row.user_id);
        insert into memory.muted_items (owner_id, kind, item_id, user_id, mute_id, spreads)
        select distinct e.being_id, 'message', e.message_id, x.user_id, x.mute_id, false
        from new_rows as e
        join memory.fact_statements as s on s.user_id = e.user_id and s.statement_id = e.statement_id
        join memory.facts as f on f.user_id = s.user_id and f.fact_id = s.fact_id
        join memory.muted_items as x
            on x.owner_id = coalesce(f.being_id, f.user_id) and x.kind = 'fact' and x.item_id = f.fact_id and x.spreads
        where e.user_id = v_row.user_id and e.message_id is not null
        on conflict do nothing;
        perform memory.mute_facts_of(v_row.user_id, array(
            select distinct s.fact_id
            from new_rows as e
            join memory.fact_statements as s on s.user_id = e.user_id and s.statement_id = e.statement_id
            where e.user_id = v_row.user_id
        ));
    end loop;
    return null;
end $$;
create or replace trigger settle_muted_evidence after insert on fact_evidence
    referencing new table as new_rows for each statement execute function mute_evidence();

create or replace function mute_todo() returns trigger language plpgsql as $$
begin
    insert into memory.muted_items (owner_id, kind, item_id, user_id, mute_id, spreads)
    select x.owner_id, 'todo', new.todo_id, x.user_id, x.mute_id, false
    from memory.muted_items as x
    where x.owner_id = new.being_id and x.kind = 'message' and x.item_id = new.message_id
    on conflict do nothing;
    return null;
end $$;
create or replace trigger mute_todos after insert on todo_evidence for each row execute function mute_todo();

create or replace function mute_new_text() returns trigger language plpgsql as $$
declare
    v_row constant jsonb := to_jsonb(new);
    v_user_id constant uuid := coalesce(
        (v_row ->> 'user_id')::uuid, (select user_id from memory.beings where being_id = (v_row ->> 'being_id')::uuid)
    );
begin
    if memory.has_mutes(v_user_id) then
        perform memory.mute_texts(v_user_id, null, array[coalesce(
            (v_row ->> 'todo_id')::uuid, (v_row ->> 'note_id')::uuid,
            lpad(coalesce(replace(v_row ->> 'day', '-', ''), v_row ->> 'id'), 32, '0')::uuid
        )]);
    end if;
    return null;
end $$;
create or replace trigger mute_new_todos after insert or update of content on todos
    for each row execute function mute_new_text();
create or replace trigger mute_new_notes after insert on notes
    for each row when (new.type <> 'scene') execute function mute_new_text();
create or replace trigger mute_new_pages after insert on diary
    for each row execute function mute_new_text();
create or replace trigger mute_new_records after insert or update on vault_heads
    for each row execute function mute_new_text();

-- A page that is written anew is written without what is muted.
create or replace function tell_rewritten_page() returns trigger language plpgsql as $$
begin
    delete from memory.muted_items
    where owner_id = new.being_id and kind = 'diary' and item_id = memory.search_id(to_char(new.day, 'YYYYMMDD'));
    return null;
end $$;
create or replace trigger tell_rewritten_pages after update of text on diary
    for each row execute function tell_rewritten_page();

create or replace function forget_owner_in_mutes() returns trigger language plpgsql as $$
begin
    delete from memory.muted_items where owner_id = old.being_id;
    return old;
end $$;
create or replace trigger mutes_gone_beings before delete on beings
    for each row execute function forget_owner_in_mutes();

create or replace function apply_new_mute() returns trigger language plpgsql as $$
begin
    perform memory.apply_mutes(new.user_id, array[new.mute_id]);
    return null;
end $$;
create or replace trigger apply_new_mutes after insert on mutes
    for each row execute function apply_new_mute();

-- Mutes a thing with what rests on it; null if it is muted already. The message that asked for it repeats what it means.
create or replace function add_mute(
    p_user_id uuid, p_being_id uuid, p_kind text, p_item_id uuid, p_name text, p_asked_by uuid, p_asked_in uuid
) returns uuid language plpgsql as $$
declare
    v_mute_id uuid;
begin
    insert into memory.mutes (user_id, being_id, kind, item_id, name)
    values (p_user_id, p_being_id, p_kind, p_item_id, p_name)
    on conflict do nothing
    returning mute_id into v_mute_id;
    insert into memory.muted_items (owner_id, kind, item_id, user_id, mute_id, spreads)
    select p_asked_by, 'message', p_asked_in, p_user_id, v_mute_id, false
    where v_mute_id is not null and p_asked_in is not null
    on conflict do nothing;
    return v_mute_id;
end $$;

-- Lifts the mutes that requests in talk made, but for what another request means as well.
create or replace function lift_asked_mutes(p_being_id uuid, p_request_ids uuid[]) returns void language sql as $$
    delete from memory.mutes as m
    using memory.spoken_requests as r, memory.beings as b
    where r.being_id = p_being_id and r.request_id = any(p_request_ids) and r.effect = 'muted' and r.undone_at is null
        and b.being_id = r.being_id and m.user_id = b.user_id
        and case m.kind
            when 'entity' then m.name = r.name
            when 'fact' then m.item_id = r.fact_id
            when 'message' then m.being_id = r.being_id and m.item_id = r.meant_message_id
        end
        and not exists (
            select from memory.spoken_requests as other
            join memory.beings as asked on asked.being_id = other.being_id
            where asked.user_id = m.user_id and other.effect = 'muted' and other.undone_at is null
                and (other.being_id, other.request_id) <> (r.being_id, r.request_id)
                and other.request_id <> all(p_request_ids)
                and (other.name, other.fact_id, other.meant_message_id)
                    is not distinct from (r.name, r.fact_id, r.meant_message_id)
        );
$$;
