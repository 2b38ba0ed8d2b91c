-- Facts: each is a fold over its statements in the order of their dates.
--
-- INVARIANT 1  At every commit, what a fact says (content, entities, confidence, importance, pin, mentions, sessions,
--              last_told_at) is derived from its statements, their evidence and their conflicts alone, by settle_facts. A fact
--              without statements is deleted, unless it is the shell of a merged fact (content '').
-- INVARIANT 2  A statement stands unless a later one of its fact contradicts it (fact_conflicts); later means a later date of
--              last mention, whenever it came in. Removing a statement gives what would have been without it.
-- INVARIANT 3  A statement that was extracted or seeded has evidence; losing the last of it, the statement is deleted.
-- INVARIANT 4  There is one active fact for each (user, scope, memory key). A statement added under that key is a mention, a
--              contradiction or an addition: nothing is dropped.
-- INVARIANT 5  Labels of entities are kept by scope (entity_labels): a label from a confidence to one Being is shown, stored in
--              a fact, or sent to a model in that Being's scope alone. What names stand for is the user's, and is decided from
--              names in facts that all of the user's Beings know.
-- LOCK         The user's row in fact_states, before any fact.

-- Serializes the writers of one user's facts until the transaction ends.
create or replace function lock_facts(p_user_id uuid) returns void language plpgsql as $$
begin
    perform memory.hold_owner(p_user_id);
    insert into memory.fact_states (user_id) values (p_user_id) on conflict do nothing;
    perform 1 from memory.fact_states where user_id = p_user_id for update;
end $$;

-- The entity that a name stands for.
create or replace function entity_of(p_user_id uuid, p_alias_ref text) returns text language sql stable
return coalesce(
    (select entity_ref from memory.entity_aliases where user_id = p_user_id and alias_ref = p_alias_ref), p_alias_ref
);

-- The seed's memoryKey: type, entity type, what it is about, and fact type, in lower case; then whose fact it is, where that is
-- not the user's.
create or replace function memory_key(p_type text, p_entity_ref text, p_fact_type text, p_subject_ref text) returns text
language sql immutable
return lower(
    p_type || '|' || split_part(p_entity_ref, ':', 1) || '|' || substr(p_entity_ref, strpos(p_entity_ref, ':') + 1)
    || '|' || p_fact_type || coalesce('|' || substr(p_subject_ref, strpos(p_subject_ref, ':') + 1), '')
);

-- Statements of one fact as text: sentences one after the other, phrases without a full stop separated by semicolons.
create or replace function with_separator(p_content text) returns text language sql immutable
return p_content || case when p_content ~ '[.!?…。！？।؟]["''”’)»]*$' then ' ' else '; ' end;

-- Derives facts from their statements (invariants 1 and 2).
create or replace function settle_facts(p_user_id uuid, p_fact_ids uuid[]) returns void language plpgsql as $$
begin
    update memory.fact_statements as s
    set said_at = told.last
    from (
        select n.statement_id, max(e.told_at) as last
        from memory.fact_statements as n
        join memory.fact_evidence as e on e.user_id = n.user_id and e.statement_id = n.statement_id
        where n.user_id = p_user_id and n.fact_id = any(p_fact_ids) and n.source <> 'corrected'
        group by n.statement_id
    ) as told
    where s.user_id = p_user_id and s.statement_id = told.statement_id and s.said_at <> told.last;

    update memory.fact_statements as s
    set replaced_by = fold.replaced_by
    from (
        select n.statement_id,
            (
                select later.statement_id
                from memory.fact_statements as later
                where later.user_id = p_user_id and later.fact_id = n.fact_id
                    and (later.said_at, later.statement_id) > (n.said_at, n.statement_id)
                    and exists (
                        select
                        from memory.fact_conflicts as c
                        where c.user_id = p_user_id and (
                            c.statement_id = n.statement_id and c.other_id = later.statement_id
                            or c.statement_id = later.statement_id and c.other_id = n.statement_id
                        )
                    )
                order by later.said_at, later.statement_id
                limit 1
            ) as replaced_by
        from memory.fact_statements as n
        where n.user_id = p_user_id and n.fact_id = any(p_fact_ids)
    ) as fold
    where s.user_id = p_user_id and s.statement_id = fold.statement_id
        and s.replaced_by is distinct from fold.replaced_by;

    update memory.facts as f
    set content = said.content, confidence = said.confidence, entity_refs = said.entity_refs,
        base_importance = said.importance, pinned = f.user_pinned or said.pinned,
        curated = f.curated and f.content = said.content,
        mentions = told.mentions, sessions = told.sessions, last_told_at = coalesce(told.last_told_at, f.last_told_at)
    from (select distinct fact_id from unnest(p_fact_ids) as one (fact_id)) as wanted,
    lateral (
        -- Fact by fact: a plan that was cached while there were few statements would otherwise scan them all.
        select wanted.fact_id,
            regexp_replace(
                string_agg(memory.with_separator(s.content), '' order by first.told_at, s.statement_id), '(; | )$', ''
            ) as content,
            max(s.confidence) as confidence, max(s.importance) as importance, bool_or(s.pinned) as pinned,
            (
                select array_agg(named.ref order by named.place)
                from (
                    select memory.entity_of(p_user_id, name.ref) as ref, min((n.statement_id::text, name.place)) as place
                    from memory.fact_statements as n, unnest(n.mentioned_refs) with ordinality as name (ref, place)
                    where n.user_id = p_user_id and n.fact_id = wanted.fact_id and n.replaced_by is null
                    group by 1
                ) as named
            ) as entity_refs
        from memory.fact_statements as s,
        lateral (
            select coalesce(min(e.told_at), s.said_at) as told_at
            from memory.fact_evidence as e
            where e.user_id = s.user_id and e.statement_id = s.statement_id
        ) as first
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
            select from memory.fact_statements as s where s.user_id = f.user_id and s.fact_id = f.fact_id
        );
end $$;

create or replace function settle_stated_facts() returns trigger language plpgsql as $$
declare
    v_user record;
begin
    if tg_op = 'INSERT' then
        -- An import of an older export names what replaced a statement in the statement alone.
        insert into memory.fact_conflicts (user_id, statement_id, other_id)
        select s.user_id, s.replaced_by, s.statement_id
        from changed as s
        join memory.fact_statements as other on other.user_id = s.user_id and other.statement_id = s.replaced_by
        on conflict do nothing;
    elsif tg_op = 'DELETE' then
        -- A shell is not among these: its statements went elsewhere.
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

-- An update of what settle_facts itself derives (said_at, replaced_by) settles nothing.
create or replace function settle_restated_facts() returns trigger language plpgsql as $$
declare
    v_user record;
begin
    for v_user in
        select s.user_id, array_agg(distinct s.fact_id) as fact_ids
        from changed as s
        join former as o using (user_id, statement_id)
        where (s.fact_id, s.content, s.mentioned_refs, s.importance, s.pinned, s.confidence)
            is distinct from (o.fact_id, o.content, o.mentioned_refs, o.importance, o.pinned, o.confidence)
        group by s.user_id
    loop
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

-- Invariant 3. A correction needs no evidence.
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
    referencing old table as former new table as changed for each statement execute function settle_restated_facts();
create or replace trigger settle_after_unstating after delete on fact_statements
    referencing old table as changed for each statement execute function settle_stated_facts();
create or replace trigger settle_after_conflicts after insert on fact_conflicts
    referencing new table as changed for each statement execute function settle_supported_facts();
create or replace trigger settle_after_evidence after insert on fact_evidence
    referencing new table as changed for each statement execute function settle_supported_facts();
create or replace trigger settle_without_evidence after delete on fact_evidence
    referencing old table as changed for each statement execute function drop_unsupported_statements();

-- A seed is deleted with the last statement that it supports, so that the same seed is new when it is sent again.
create or replace function drop_unused_seeds() returns trigger language plpgsql as $$
begin
    delete from memory.user_seeds as s
    using (select distinct user_id, seed_id from changed where seed_id is not null) as lost
    where s.user_id = lost.user_id and s.seed_id = lost.seed_id and s.todo_id is null
        and not exists (
            select from memory.fact_evidence as e where e.user_id = s.user_id and e.seed_id = s.seed_id
        );
    return null;
end $$;

create or replace trigger drop_unused_seeds after delete on fact_evidence
    referencing old table as changed for each statement execute function drop_unused_seeds();

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

-- A shell is deleted with the fact that its statements were moved to.
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

-- Whether statements contradict each other pairwise, so that only one of them can be true at a time, as homes or jobs.
create or replace function are_exclusive(p_user_id uuid, p_statement_ids uuid[]) returns boolean language sql stable
return not exists (
    select
    from unnest(p_statement_ids) as one (id), unnest(p_statement_ids) as other (id)
    where one.id < other.id and not exists (
        select
        from memory.fact_conflicts as c
        where c.user_id = p_user_id and (
            c.statement_id = one.id and c.other_id = other.id or c.statement_id = other.id and c.other_id = one.id
        )
    )
);

-- Stores that a statement contradicts others of its fact. What contradicts one of several values that exclude each other is
-- another value, and contradicts them all; a model that compares it may have named one of them alone.
create or replace function add_conflicts(p_user_id uuid, p_statement_id uuid, p_other_ids uuid[]) returns integer
language plpgsql as $$
declare
    v_added integer;
begin
    with named as (
        select o.statement_id
        from memory.fact_statements as s
        join memory.fact_statements as o on o.user_id = s.user_id and o.fact_id = s.fact_id
        where s.user_id = p_user_id and s.statement_id = p_statement_id
            and o.statement_id = any(p_other_ids) and o.statement_id <> p_statement_id
    ),
    rivals as (
        select n.statement_id, array_agg(r.id) as ids
        from named as n,
        lateral (
            select n.statement_id as id
            union
            select case c.statement_id when n.statement_id then c.other_id else c.statement_id end
            from memory.fact_conflicts as c
            where c.user_id = p_user_id and n.statement_id in (c.statement_id, c.other_id)
        ) as r
        where r.id <> p_statement_id
        group by n.statement_id
    ),
    others as (
        select statement_id from named
        union
        select unnest(ids) from rivals where memory.are_exclusive(p_user_id, ids)
    )
    insert into memory.fact_conflicts (user_id, statement_id, other_id)
    select p_user_id, p_statement_id, o.statement_id
    from others as o
    where not exists (
        select
        from memory.fact_conflicts as c
        where c.user_id = p_user_id and c.statement_id = o.statement_id and c.other_id = p_statement_id
    )
    on conflict do nothing;
    get diagnostics v_added = row_count;
    return v_added;
end $$;

-- Adds statements in order (invariant 4). Each item names its key, its content and evidence, the statement that it repeats
-- (`same_as`), and those that it contradicts; content that the fact has already is a mention.
create or replace function add_statements(p_user_id uuid, p_statements jsonb)
returns table (place bigint, fact_id uuid, outcome text) language plpgsql as $$
#variable_conflict use_column
declare
    v_item record;
    v_fact_id uuid;
    v_statement_id uuid;
    v_key text;
begin
    perform memory.lock_facts(p_user_id);
    for v_item in
        select *
        from rows from (
            jsonb_to_recordset(p_statements) as (
                statement_id uuid, scope uuid, type text, entity_label text, fact_type text, mentioned_refs text[],
                subject_ref text, content text, source text, confidence double precision, importance smallint,
                pinned boolean, same_as uuid, contradicts uuid[], being_id uuid, message_id uuid, seed_id uuid, span text,
                told_at timestamptz
            )
        ) with ordinality as item (
            statement_id, scope, type, entity_label, fact_type, mentioned_refs, subject_ref, content, source, confidence,
            importance, pinned, same_as, contradicts, being_id, message_id, seed_id, span, told_at, place
        )
        order by place
    loop
        v_key := memory.memory_key(
            v_item.type, memory.entity_of(p_user_id, v_item.mentioned_refs[1]), v_item.fact_type,
            memory.entity_of(p_user_id, v_item.subject_ref)
        );
        v_fact_id := memory.fact_under(p_user_id, v_item.scope, v_key);
        outcome := case when v_fact_id is null then 'new' else 'added' end;
        if v_fact_id is null then
            insert into memory.facts
                (user_id, being_id, type, entity_refs, entity_label, subtype, memory_key, source, confidence, last_told_at)
            values (p_user_id, v_item.scope, v_item.type, v_item.mentioned_refs, v_item.entity_label,
                jsonb_build_object('entityType', split_part(v_item.mentioned_refs[1], ':', 1), 'factType', v_item.fact_type),
                v_key, v_item.source, v_item.confidence, v_item.told_at)
            returning facts.fact_id into v_fact_id;
        end if;
        -- Equal content is a mention, whatever the model compared.
        select s.statement_id into v_statement_id
        from memory.fact_statements as s
        where s.user_id = p_user_id and s.fact_id = v_fact_id
            and (s.statement_id = v_item.same_as or lower(s.content) = lower(v_item.content))
        order by lower(s.content) = lower(v_item.content) desc, s.said_at desc, s.statement_id
        limit 1;
        if v_statement_id is null then
            v_statement_id := v_item.statement_id;
            insert into memory.fact_statements
                (user_id, statement_id, fact_id, content, mentioned_refs, subject_ref, source, confidence, importance, pinned,
                said_at)
            values (p_user_id, v_statement_id, v_fact_id, v_item.content, v_item.mentioned_refs, v_item.subject_ref,
                v_item.source, v_item.confidence, v_item.importance, v_item.pinned, v_item.told_at);
        else
            outcome := 'mentioned';
            update memory.fact_statements as s
            set importance = greatest(s.importance, v_item.importance), pinned = s.pinned or v_item.pinned,
                confidence = greatest(s.confidence, v_item.confidence)
            where s.user_id = p_user_id and s.statement_id = v_statement_id;
        end if;
        insert into memory.fact_evidence
            (user_id, statement_id, being_id, message_id, seed_id, span, told_at)
        values (p_user_id, v_statement_id, v_item.being_id, v_item.message_id, v_item.seed_id, v_item.span, v_item.told_at)
        -- Outdated evidence that is found again stays.
        on conflict (user_id, statement_id, being_id, message_id) do update
        set outdated = false, span = excluded.span where fact_evidence.outdated;
        if memory.add_conflicts(p_user_id, v_statement_id, v_item.contradicts) > 0 and outcome = 'added' then
            outcome := 'replaced';
        end if;
        place := v_item.place;
        fact_id := v_fact_id;
        return next;
    end loop;
end $$;

-- Dates a seed anew that is sent again after another seed has replaced its statement, and returns whether one had. What was said
-- since by the user stands: a program may send its seeds again each time it starts.
create or replace function retell_seed(p_user_id uuid, p_scope uuid, p_content jsonb) returns boolean language plpgsql as $$
declare
    v_fact_ids uuid[];
begin
    with retold as (
        update memory.fact_evidence as e
        set told_at = memory.now()
        from memory.user_seeds as d, memory.fact_statements as s, memory.fact_statements as newer
        where d.user_id = p_user_id and d.being_id is not distinct from p_scope
            and d.content_hash = sha256(convert_to(p_content::text, 'UTF8'))
            and e.user_id = d.user_id and e.seed_id = d.seed_id
            and s.user_id = e.user_id and s.statement_id = e.statement_id
            and newer.user_id = s.user_id and newer.statement_id = s.replaced_by and newer.source = 'seeded_profile'
        returning s.fact_id
    )
    select array_agg(fact_id) into v_fact_ids from retold;
    if v_fact_ids is null then
        return false;
    end if;
    perform memory.settle_facts(p_user_id, v_fact_ids);
    return true;
end $$;

-- Puts a person's wording in the place of everything that a fact says, and after it by date.
create or replace function correct_fact(p_user_id uuid, p_fact_id uuid, p_content text) returns void language plpgsql as $$
declare
    v_correction uuid;
    v_others uuid[];
begin
    select array_agg(statement_id) into v_others
    from memory.fact_statements
    where user_id = p_user_id and fact_id = p_fact_id;
    insert into memory.fact_statements
        (user_id, fact_id, content, mentioned_refs, subject_ref, source, confidence, importance, pinned, said_at)
    select s.user_id, s.fact_id, p_content, s.mentioned_refs, s.subject_ref, 'corrected', 1,
        max(s.importance) over (), bool_or(s.pinned) over (),
        greatest(
            memory.now(),
            (
                select max(every.said_at) + interval '1 microsecond'
                from memory.fact_statements as every
                where every.user_id = p_user_id and every.fact_id = p_fact_id
            )
        )
    from memory.fact_statements as s
    where s.user_id = p_user_id and s.fact_id = p_fact_id and s.replaced_by is null
    order by s.statement_id
    limit 1
    returning statement_id into v_correction;
    insert into memory.fact_conflicts (user_id, statement_id, other_id)
    select p_user_id, v_correction, other_id from unnest(v_others) as other_id;
end $$;

-- Moves statements after the names in them have come to stand for another entity: to the fact of their new key, which may be
-- the shell that was left when a merge moved them the other way.
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
            select memory.memory_key(
                f.type, memory.entity_of(p_user_id, s.mentioned_refs[1]), f.subtype ->> 'factType',
                memory.entity_of(p_user_id, s.subject_ref)
            )
        ) as key (memory_key)
        where s.user_id = p_user_id and (s.mentioned_refs && p_alias_refs or s.subject_ref = any(p_alias_refs))
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
                base_importance, confidence, last_told_at)
            select f.user_id, f.being_id, f.type, f.entity_refs, coalesce(l.label, f.entity_label), f.subtype,
                v_group.memory_key, f.source, f.status, f.base_importance, f.confidence, f.last_told_at
            from memory.facts as f
            join memory.fact_statements as s on s.user_id = f.user_id and s.statement_id = v_group.statement_ids[1]
            left join memory.entity_labels as l on l.user_id = f.user_id and l.being_id is not distinct from f.being_id
                and l.alias_ref = s.mentioned_refs[1]
            where f.user_id = p_user_id and f.fact_id = v_group.fact_id
            returning fact_id into v_target;
        end if;
        if v_group.whole then
            -- The empty shell keeps its pin and history for the case that the merge is undone.
            update memory.facts as f
            set user_pinned = f.user_pinned or shell.user_pinned
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
    where user_id = p_user_id and mentioned_refs && p_alias_refs;
end $$;

-- Makes names stand for another entity, or for their own again. No statement is reworded, so that it can be undone.
create or replace function rename_entities(p_user_id uuid, p_alias_refs text[], p_entity_ref text) returns void
language plpgsql as $$
begin
    perform memory.lock_facts(p_user_id);
    update memory.entity_aliases set entity_ref = p_entity_ref
    where user_id = p_user_id and alias_ref = any(p_alias_refs);
    perform memory.refile_statements(p_user_id, p_alias_refs);
end $$;

-- A todo without evidence is deleted, as a statement is; without the evidence that closed it, it is open again.
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
