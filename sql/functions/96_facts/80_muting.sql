-- The rules of mutes (the invariants are in 30_nodes/20_mutes.sql): the facts, memories, messages and texts that a rule of a mute
-- names. From there a mute spreads (82_spreading_mutes.sql), and reaches rows that come in or change later
-- (84_muting_what_comes.sql).

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

-- Mutes the facts that the mutes of their user name; null: all facts, or all mutes.
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

-- Mutes those of the facts that have a statement on muted messages alone, of messages whose mute takes facts along.
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

-- Mutes the nodes and topics of a Being that the mutes of its user name, and nodes on muted messages, in muted topics, or merged
-- with muted nodes.
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

-- Mutes the messages of a Being that the mutes of its user name.
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
