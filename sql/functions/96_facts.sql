-- Facts: what stands of the statements that were made, each resting on somebody's words.
--
-- INVARIANT 1  A fact's content, entities, confidence, mentions, sessions and last_told_at are those of its statements
--              and their evidence, at every commit. A fact without a standing statement is gone, unless it was folded.
-- INVARIANT 2  A statement that was extracted or seeded has evidence. Losing the last of it, it is gone, and what it had
--              replaced stands again. A fact that lost its last statement so is gone, folded or not, and no shell keeps its
--              words.
-- INVARIANT 3  There is one active fact for each (user, scope, memory key), and what is told under its key is a mention, a
--              replacement or an addition: nothing is dropped.
-- LOCK         The user's row in fact_keeping, before any fact.

-- Whoever is about to write facts waits for those who are at it.
create or replace function hold_facts(p_user_id uuid) returns void language plpgsql as $$
begin
    insert into memory.fact_keeping (user_id) values (p_user_id) on conflict do nothing;
    perform 1 from memory.fact_keeping where user_id = p_user_id for update;
end $$;

-- What a name stands for.
create or replace function entity_of(p_user_id uuid, p_alias_ref text) returns text language sql stable
return coalesce(
    (select entity_ref from memory.entity_aliases where user_id = p_user_id and alias_ref = p_alias_ref), p_alias_ref
);

-- The seed's memoryKey: type, entity type, what it is about, and fact type, in lower case.
create or replace function memory_key(p_type text, p_entity_ref text, p_fact_type text) returns text
language sql immutable
return lower(
    p_type || '|' || split_part(p_entity_ref, ':', 1) || '|' || substr(p_entity_ref, strpos(p_entity_ref, ':') + 1)
    || '|' || p_fact_type
);

-- Makes facts what their statements make them (invariant 1).
create or replace function settle_facts(p_user_id uuid, p_fact_ids uuid[]) returns void language plpgsql as $$
begin
    update memory.facts as f
    set content = said.content, confidence = said.confidence, entity_refs = said.entity_refs,
        mentions = told.mentions, sessions = told.sessions, last_told_at = coalesce(told.last_told_at, f.last_told_at)
    from (select distinct fact_id from unnest(p_fact_ids) as one (fact_id)) as wanted,
    lateral (
        -- Fact by fact, for a plan that was made while there were few takes them all in together.
        select wanted.fact_id, string_agg(s.content, '; ' order by s.statement_id) as content,
            max(s.confidence) as confidence,
            (
                select array_agg(named.ref order by named.place)
                from (
                    select memory.entity_of(p_user_id, name.ref) as ref, min((n.statement_id::text, name.place)) as place
                    from memory.fact_statements as n, unnest(n.told_as) with ordinality as name (ref, place)
                    where n.user_id = p_user_id and n.fact_id = wanted.fact_id and n.replaced_by is null
                    group by 1
                ) as named
            ) as entity_refs
        from memory.fact_statements as s
        where s.user_id = p_user_id and s.fact_id = wanted.fact_id and s.replaced_by is null
        having count(*) > 0
    ) as said,
    lateral (
        select count(*)::integer as mentions, count(distinct m.session_id)::integer as sessions,
            max(e.told_at) as last_told_at
        from memory.fact_statements as s
        join memory.fact_evidence as e on e.user_id = s.user_id and e.statement_id = s.statement_id
        left join memory.messages as m on m.being_id = e.being_id and m.message_id = e.message_id
        where s.user_id = p_user_id and s.fact_id = said.fact_id
    ) as told
    where f.user_id = p_user_id and f.fact_id = said.fact_id;
    delete from memory.facts as f
    where f.user_id = p_user_id and f.fact_id = any(p_fact_ids) and f.folded_into is null
        and not exists (
            select from memory.fact_statements as s
            where s.user_id = f.user_id and s.fact_id = f.fact_id and s.replaced_by is null
        );
end $$;

create or replace function settle_stated_facts() returns trigger language plpgsql as $$
declare
    v_user record;
begin
    if tg_op = 'DELETE' then
        -- What waits as a shell is not among these: its statements went elsewhere.
        delete from memory.facts as f
        using (select distinct user_id, fact_id from changed) as lost
        where f.user_id = lost.user_id and f.fact_id = lost.fact_id
            and not exists (
                select from memory.fact_statements as s where s.user_id = f.user_id and s.fact_id = f.fact_id
            );
    end if;
    for v_user in select user_id, array_agg(distinct fact_id) as fact_ids from changed group by user_id loop
        perform memory.settle_facts(v_user.user_id, v_user.fact_ids);
    end loop;
    return null;
end $$;

create or replace function settle_supported_facts() returns trigger language plpgsql as $$
declare
    v_user record;
begin
    for v_user in
        select user_id, array_agg(distinct fact_id) as fact_ids
        from changed join memory.fact_statements using (user_id, statement_id)
        group by user_id
    loop
        perform memory.settle_facts(v_user.user_id, v_user.fact_ids);
    end loop;
    return null;
end $$;

-- Invariant 2: what a user corrected rests on the user's word for it, and nothing else.
create or replace function drop_unsupported_statements() returns trigger language plpgsql as $$
begin
    delete from memory.fact_statements as s
    using (select distinct user_id, statement_id from changed) as lost
    where s.user_id = lost.user_id and s.statement_id = lost.statement_id and s.source <> 'corrected'
        and not exists (
            select from memory.fact_evidence as e where e.user_id = s.user_id and e.statement_id = s.statement_id
        );
    perform memory.settle_facts(still.user_id, array_agg(distinct still.fact_id))
    from changed join memory.fact_statements as still using (user_id, statement_id)
    group by still.user_id;
    return null;
end $$;

create or replace trigger settle_after_statements after insert on fact_statements
    referencing new table as changed for each statement execute function settle_stated_facts();
create or replace trigger settle_after_restating after update on fact_statements
    referencing new table as changed for each statement execute function settle_stated_facts();
create or replace trigger settle_after_unstating after delete on fact_statements
    referencing old table as changed for each statement execute function settle_stated_facts();
create or replace trigger settle_after_evidence after insert on fact_evidence
    referencing new table as changed for each statement execute function settle_supported_facts();
create or replace trigger settle_without_evidence after delete on fact_evidence
    referencing old table as changed for each statement execute function drop_unsupported_statements();

create or replace function record_facts() returns trigger language plpgsql as $$
begin
    insert into memory.fact_history (user_id, fact_id, event, detail)
    select new.user_id, new.fact_id, change.event, change.detail
    from (
        values
            (1, old is null, 'born', jsonb_build_object('source', new.source)),
            (2, old.status = 'ACTIVE' and new.status = 'ARCHIVED', 'archived',
                jsonb_strip_nulls(jsonb_build_object('into', new.folded_into))),
            (3, old.status = 'ARCHIVED' and new.status = 'ACTIVE', 'restored', '{}'),
            (4, old.pinned is false and new.pinned, 'pinned', '{}'),
            (5, old.pinned and not new.pinned, 'unpinned', '{}'),
            (6, old.importance <> new.importance, 'weighed',
                jsonb_build_object('from', old.importance, 'to', new.importance))
    ) as change (place, happened, event, detail)
    where change.happened
    order by change.place;
    return null;
end $$;

create or replace trigger record_facts after insert or update on facts
    for each row execute function record_facts();

-- A shell goes with the fact that its statements went to.
create or replace function drop_shell() returns trigger language plpgsql as $$
begin
    delete from memory.facts as f
    where f.user_id = new.user_id and f.fact_id = new.fact_id
        and not exists (
            select from memory.fact_statements as s where s.user_id = f.user_id and s.fact_id = f.fact_id
        );
    return null;
end $$;

create or replace trigger drop_shell after update of folded_into on facts
    for each row when (old.folded_into is not null and new.folded_into is null and new.status = 'ARCHIVED')
    execute function drop_shell();

-- The active fact under a key, or the one that an archived fact of that key was folded into.
create or replace function fact_under(p_user_id uuid, p_scope uuid, p_memory_key text) returns uuid
language sql stable
return (
    with recursive way (fact_id, folded_into, status, steps) as (
        select fact_id, folded_into, status, 0
        from memory.facts
        where user_id = p_user_id and being_id is not distinct from p_scope and memory_key = p_memory_key
            and (status = 'ACTIVE' or folded_into is not null)
        union all
        select f.fact_id, f.folded_into, f.status, way.steps + 1
        from way join memory.facts as f on f.user_id = p_user_id and f.fact_id = way.folded_into
    )
    select fact_id from way where status = 'ACTIVE' order by steps, fact_id limit 1
);

-- Takes in what was told, in order (invariant 3). Each item names its key, its words and what supports them, and how it
-- stands to another statement: `same` or `contradicts`, where that one still stands; all else is an addition.
create or replace function tell_facts(p_user_id uuid, p_told jsonb)
returns table (place bigint, fact_id uuid, outcome text) language plpgsql as $$
#variable_conflict use_column
declare
    v_item record;
    v_fact_id uuid;
    v_other uuid;
    v_key text;
begin
    perform memory.hold_facts(p_user_id);
    for v_item in
        select *
        from rows from (
            jsonb_to_recordset(p_told) as (
                statement_id uuid, scope uuid, type text, entity_label text, fact_type text, told_as text[],
                content text, source text, confidence double precision, importance smallint, pinned boolean,
                relation text, other uuid, being_id uuid, message_id uuid, seed_id uuid, span text, told_at timestamptz
            )
        ) with ordinality as told (
            statement_id, scope, type, entity_label, fact_type, told_as, content, source, confidence, importance, pinned,
            relation, other, being_id, message_id, seed_id, span, told_at, place
        )
        order by place
    loop
        v_key := memory.memory_key(v_item.type, memory.entity_of(p_user_id, v_item.told_as[1]), v_item.fact_type);
        v_fact_id := memory.fact_under(p_user_id, v_item.scope, v_key);
        outcome := case when v_fact_id is null then 'new' else 'added' end;
        if v_fact_id is null then
            insert into memory.facts
                (user_id, being_id, type, entity_refs, entity_label, subtype, memory_key, source, pinned,
                importance_given, confidence, last_told_at)
            values (p_user_id, v_item.scope, v_item.type, v_item.told_as, v_item.entity_label,
                jsonb_build_object('entityType', split_part(v_item.told_as[1], ':', 1), 'factType', v_item.fact_type),
                v_key, v_item.source, v_item.pinned, v_item.importance, v_item.confidence, v_item.told_at)
            returning facts.fact_id into v_fact_id;
        end if;
        -- The same words again are a mention, whoever was asked.
        select s.statement_id into v_other
        from memory.fact_statements as s
        where s.user_id = p_user_id and s.fact_id = v_fact_id and s.replaced_by is null
            and (s.statement_id = v_item.other and v_item.relation in ('same', 'contradicts')
                or lower(s.content) = lower(v_item.content))
        order by lower(s.content) = lower(v_item.content) desc, s.statement_id
        limit 1;
        if v_other is not null and (v_item.relation is distinct from 'contradicts' or v_other <> v_item.other) then
            outcome := 'mentioned';
        else
            insert into memory.fact_statements (user_id, statement_id, fact_id, content, told_as, source, confidence)
            values (p_user_id, v_item.statement_id, v_fact_id, v_item.content, v_item.told_as, v_item.source,
                v_item.confidence);
            if v_other is not null then
                outcome := 'replaced';
                update memory.fact_statements set replaced_by = v_item.statement_id
                where user_id = p_user_id and statement_id = v_other;
            end if;
            v_other := v_item.statement_id;
        end if;
        insert into memory.fact_evidence
            (user_id, statement_id, being_id, message_id, seed_id, span, told_at)
        values (p_user_id, v_other, v_item.being_id, v_item.message_id, v_item.seed_id, v_item.span, v_item.told_at)
        on conflict (user_id, statement_id, being_id, message_id) do nothing;
        place := v_item.place;
        fact_id := v_fact_id;
        return next;
    end loop;
end $$;

-- Files statements anew after the names in them have come to stand for something else: under the fact of their key, which
-- may be another, or a shell that was left when they went the other way.
create or replace function refile_statements(p_user_id uuid, p_alias_refs text[]) returns void language plpgsql as $$
declare
    v_group record;
    v_target uuid;
begin
    for v_group in
        select f.fact_id, f.being_id, f.status, key.memory_key, array_agg(s.statement_id) as statement_ids,
            count(*) = (
                select count(*) from memory.fact_statements as every
                where every.user_id = p_user_id and every.fact_id = f.fact_id
            ) as whole
        from memory.fact_statements as s
        join memory.facts as f on f.user_id = s.user_id and f.fact_id = s.fact_id,
        lateral (
            select memory.memory_key(f.type, memory.entity_of(p_user_id, s.told_as[1]), f.subtype ->> 'factType')
        ) as key (memory_key)
        where s.user_id = p_user_id and s.told_as && p_alias_refs
        group by f.user_id, f.fact_id, key.memory_key
        order by f.fact_id, key.memory_key
    loop
        continue when exists (
            select from memory.facts
            where user_id = p_user_id and fact_id = v_group.fact_id and memory_key = v_group.memory_key
        );
        v_target := memory.fact_under(p_user_id, v_group.being_id, v_group.memory_key);
        if v_group.whole and (v_target is null or v_target = v_group.fact_id or v_group.status = 'ARCHIVED') then
            update memory.facts set memory_key = v_group.memory_key
            where user_id = p_user_id and fact_id = v_group.fact_id;
            continue;
        end if;
        if v_target is null or v_target = v_group.fact_id then
            update memory.facts as f set status = 'ACTIVE', folded_into = null
            where f.user_id = p_user_id and f.fact_id = (
                select min(shell.fact_id::text)::uuid from memory.facts as shell
                where shell.user_id = p_user_id and shell.folded_into = v_group.fact_id
                    and shell.memory_key = v_group.memory_key
            )
            returning f.fact_id into v_target;
        end if;
        if v_target is null then
            insert into memory.facts
                (user_id, being_id, type, entity_refs, entity_label, subtype, memory_key, source, status,
                importance_given, confidence, last_told_at)
            select f.user_id, f.being_id, f.type, f.entity_refs, coalesce(a.label, f.entity_label), f.subtype,
                v_group.memory_key, f.source, f.status, f.importance_given, f.confidence, f.last_told_at
            from memory.facts as f
            join memory.fact_statements as s on s.user_id = f.user_id and s.statement_id = v_group.statement_ids[1]
            left join memory.entity_aliases as a on a.user_id = f.user_id and a.alias_ref = s.told_as[1]
            where f.user_id = p_user_id and f.fact_id = v_group.fact_id
            returning fact_id into v_target;
        end if;
        if v_group.whole then
            -- An empty shell waits here, with its pin, weight and history, for the day on which the merge is undone.
            update memory.facts as f
            set pinned = f.pinned or shell.pinned, importance_given = greatest(f.importance_given, shell.importance_given)
            from memory.facts as shell
            where f.user_id = p_user_id and f.fact_id = v_target
                and shell.user_id = p_user_id and shell.fact_id = v_group.fact_id;
            update memory.facts set status = 'ARCHIVED', folded_into = v_target, content = ''
            where user_id = p_user_id and fact_id = v_group.fact_id;
        end if;
        update memory.fact_statements set fact_id = v_target
        where user_id = p_user_id and statement_id = any(v_group.statement_ids);
        perform memory.settle_facts(p_user_id, array[v_group.fact_id]);
    end loop;
    perform memory.settle_facts(p_user_id, array_agg(distinct fact_id))
    from memory.fact_statements
    where user_id = p_user_id and told_as && p_alias_refs;
end $$;

-- Lets every name of one entity stand for another, or one's own again. Nothing is reworded, so that it can be undone.
create or replace function rename_entities(p_user_id uuid, p_alias_refs text[], p_entity_ref text) returns void
language plpgsql as $$
begin
    perform memory.hold_facts(p_user_id);
    update memory.entity_aliases set entity_ref = p_entity_ref
    where user_id = p_user_id and alias_ref = any(p_alias_refs);
    perform memory.refile_statements(p_user_id, p_alias_refs);
end $$;

-- A todo rests on what was said, as a statement does: without it it is gone, and without the words that closed it it is
-- open again.
create or replace function settle_todos() returns trigger language plpgsql as $$
begin
    delete from memory.todos as t
    using (select distinct being_id, todo_id from changed) as lost
    where t.being_id = lost.being_id and t.todo_id = lost.todo_id and t.source = 'shadow_extraction'
        and not exists (
            select from memory.todo_evidence as e
            where e.being_id = t.being_id and e.todo_id = t.todo_id and not e.closes
        );
    update memory.todos as t set status = 'OPEN', closed_at = null
    from changed
    where t.being_id = changed.being_id and t.todo_id = changed.todo_id and changed.closes and t.status = 'DONE'
        and not exists (
            select from memory.todo_evidence as e
            where e.being_id = t.being_id and e.todo_id = t.todo_id and e.closes
        );
    return null;
end $$;

create or replace trigger settle_todos after delete on todo_evidence
    referencing old table as changed for each statement execute function settle_todos();
