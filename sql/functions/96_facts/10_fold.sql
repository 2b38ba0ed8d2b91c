-- Facts: each is a fold over its statements in the order of their dates.
--
-- INVARIANT 1  At every commit, the columns of a fact (content, entities, confidence, importance, pin, mentions, sessions,
--              last_told_at, the time that it is about) are derived from its statements, their evidence and their conflicts
--              alone, by settle_facts. A fact without statements is deleted, unless it is the shell of a merged fact (content
--              ''). The content of a statement is derived from its evidence: its words are those of the first message or seed
--              that made it, by date, whichever of them was judged first, and go with that message.
-- INVARIANT 2  A statement stands unless a later one of its fact contradicts it (fact_conflicts); later means a later date of
--              last mention, in any order of arrival. Removing a statement gives the state that would have been without it.
-- INVARIANT 3  A statement that was extracted or seeded has evidence; losing the last of it, the statement is deleted.
-- INVARIANT 4  There is one active fact for each (user, scope, memory key). A statement added under that key is a mention, a
--              contradiction or an addition: nothing is dropped.
-- INVARIANT 5  Labels of entities are kept by scope (entity_labels): a label from a confidence to one Being is shown, stored in
--              a fact, or sent to a model in that Being's scope alone. The entity that a name stands for is the user's, and is
--              decided from names in facts that all of the user's Beings know.
-- LOCK         The user's row in fact_states, before any fact.

-- Serializes the writers of one user's facts until the transaction ends.
create or replace function lock_facts(p_user_id uuid) returns void language plpgsql as $$
begin
    perform memory.hold_owner(p_user_id);
    perform memory.lock_muted_talk(p_user_id);
    insert into memory.fact_states (user_id) values (p_user_id) on conflict do nothing;
    perform 1 from memory.fact_states where user_id = p_user_id for update;
end $$;

-- The entity that a name stands for.
create or replace function entity_of(p_user_id uuid, p_alias_ref text) returns text language sql stable
return coalesce(
    (select entity_ref from memory.entity_aliases where user_id = p_user_id and alias_ref = p_alias_ref), p_alias_ref
);

-- The seed's memoryKey: type, entity type, entity name, and fact type, in lower case; then the name of the fact's subject, where
-- that is not the user.
create or replace function memory_key(p_type text, p_entity_ref text, p_fact_type text, p_subject_ref text) returns text
language sql immutable
return lower(
    p_type || '|' || split_part(p_entity_ref, ':', 1) || '|' || substr(p_entity_ref, strpos(p_entity_ref, ':') + 1)
    || '|' || p_fact_type || coalesce('|' || substr(p_subject_ref, strpos(p_subject_ref, ':') + 1), '')
);

-- Statements of one fact as text: sentences one after the other, phrases without a full stop separated by semicolons.
create or replace function with_separator(p_content text) returns text language sql immutable
return p_content || case when p_content ~ '[.!?…。！？।؟]["''”’)»]*$' then ' ' else '; ' end;

-- The statements of a fact that stand, in the order in which they were first made.
create or replace function placed_statements(p_user_id uuid, p_fact_id uuid) returns table (
    content text, mentioned_refs text[], confidence double precision, importance smallint, pinned boolean, place bigint
) language sql stable as $$
    select s.content, s.mentioned_refs, s.confidence, s.importance, s.pinned,
        row_number() over (
            order by coalesce(first.told_at, s.said_at), first.source_id, first.evidence_id, s.statement_id
        ) as place
    from memory.fact_statements as s
    left join lateral (
        select e.told_at, coalesce(e.message_id, e.seed_id) as source_id, e.evidence_id
        from memory.fact_evidence as e
        where e.user_id = s.user_id and e.statement_id = s.statement_id
        order by e.told_at, coalesce(e.message_id, e.seed_id), e.evidence_id
        limit 1
    ) as first on true
    where s.user_id = p_user_id and s.fact_id = p_fact_id and s.replaced_by is null;
$$;

-- Derives facts from their statements, and these from their evidence (invariants 1 and 2). Statements and evidence are ordered by
-- date, then by the arrival of their messages, then by their place in the message: never by when they were judged.
create or replace function settle_facts(p_user_id uuid, p_fact_ids uuid[]) returns void language plpgsql as $$
begin
    update memory.fact_statements as s
    set said_at = told.last, content = told.content, mentioned_refs = told.mentioned_refs,
        confidence = told.confidence, importance = told.importance
    from (
        select n.statement_id, max(e.told_at) as last, first.content, first.mentioned_refs,
            max(coalesce(e.confidence, n.confidence)) as confidence,
            case when n.weighed then n.importance else max(coalesce(e.importance, n.importance)) end as importance
        from memory.fact_statements as n
        join memory.fact_evidence as e on e.user_id = n.user_id and e.statement_id = n.statement_id,
        lateral (
            select coalesce(o.content, n.content) as content, coalesce(o.mentioned_refs, n.mentioned_refs) as mentioned_refs
            from memory.fact_evidence as o
            where o.user_id = n.user_id and o.statement_id = n.statement_id
            order by o.content is not null, o.told_at, coalesce(o.message_id, o.seed_id), o.evidence_id
            limit 1
        ) as first
        where n.user_id = p_user_id and n.fact_id = any(p_fact_ids) and n.source <> 'corrected'
        group by n.user_id, n.statement_id, first.content, first.mentioned_refs
    ) as told
    where s.user_id = p_user_id and s.statement_id = told.statement_id
        and (s.said_at, s.content, s.mentioned_refs, s.confidence, s.importance)
            is distinct from (told.last, told.content, told.mentioned_refs, told.confidence, told.importance);

    update memory.fact_statements as s
    set replaced_by = fold.replaced_by
    from (
        with placed as materialized (
            select n.statement_id, n.fact_id,
                row_number() over (
                    partition by n.fact_id
                    order by n.said_at, last.source_id, last.evidence_id, n.statement_id
                ) as place
            from memory.fact_statements as n
            left join lateral (
                select coalesce(e.message_id, e.seed_id) as source_id, e.evidence_id
                from memory.fact_evidence as e
                where e.user_id = n.user_id and e.statement_id = n.statement_id and n.source <> 'corrected'
                order by e.told_at desc, coalesce(e.message_id, e.seed_id) desc, e.evidence_id desc
                limit 1
            ) as last on true
            where n.user_id = p_user_id and n.fact_id = any(p_fact_ids)
        )
        select n.statement_id,
            (
                select later.statement_id
                from placed as later
                where later.fact_id = n.fact_id and later.place > n.place
                    and exists (
                        select
                        from memory.fact_conflicts as c
                        where c.user_id = p_user_id and (
                            c.statement_id = n.statement_id and c.other_id = later.statement_id
                            or c.statement_id = later.statement_id and c.other_id = n.statement_id
                        )
                    )
                order by later.place
                limit 1
            ) as replaced_by
        from placed as n
    ) as fold
    where s.user_id = p_user_id and s.statement_id = fold.statement_id
        and s.replaced_by is distinct from fold.replaced_by;

    update memory.facts as f
    set content = said.content, confidence = said.confidence, entity_refs = said.entity_refs,
        base_importance = said.importance, pinned = f.user_pinned or said.pinned,
        curated = f.curated and f.content = said.content,
        mentions = told.mentions, sessions = told.sessions, last_told_at = coalesce(told.last_told_at, f.last_told_at),
        about_from = told.about_from, about_until = told.about_until
    from (select distinct fact_id from unnest(p_fact_ids) as one (fact_id)) as wanted,
    lateral (
        -- Fact by fact: a plan that was cached while there were few statements would otherwise scan them all.
        select wanted.fact_id,
            regexp_replace(
                string_agg(memory.with_separator(s.content), '' order by s.place), '(; | )$', ''
            ) as content,
            max(s.confidence) as confidence, max(s.importance) as importance, bool_or(s.pinned) as pinned,
            (
                select array_agg(named.ref order by named.statement_place, named.place)
                from (
                    select distinct on (memory.entity_of(p_user_id, name.ref))
                        memory.entity_of(p_user_id, name.ref) as ref, n.place as statement_place, name.place
                    from memory.placed_statements(p_user_id, wanted.fact_id) as n,
                    unnest(n.mentioned_refs) with ordinality as name (ref, place)
                    order by 1, 2, 3
                ) as named
            ) as entity_refs
        from memory.placed_statements(p_user_id, wanted.fact_id) as s
        having count(*) > 0
    ) as said,
    lateral (
        select count(*) filter (where not heard.elsewhere)::integer as mentions,
            count(distinct m.session_id) filter (where not heard.elsewhere)::integer as sessions,
            max(e.told_at) as last_told_at,
            (array_agg(e.about_from order by e.told_at desc, e.evidence_id desc)
                filter (where e.about_from is not null and s.replaced_by is null))[1] as about_from,
            (array_agg(e.about_until order by e.told_at desc, e.evidence_id desc)
                filter (where e.about_from is not null and s.replaced_by is null))[1] as about_until
        from memory.fact_statements as s
        join memory.fact_evidence as e on e.user_id = s.user_id and e.statement_id = s.statement_id
        left join memory.messages as m on m.being_id = e.being_id and m.message_id = e.message_id
        cross join lateral (
            select m.message_id is not null and memory.relayed(m.being_id, m.message_id, said.fact_id) as elsewhere
        ) as heard
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
begin
    if tg_op = 'INSERT' then
        -- An import of an older export names the replacement of a statement in the statement alone.
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
    perform memory.settle_facts(user_id, array_agg(distinct fact_id)) from changed group by user_id;
    return null;
end $$;

-- An update of a statement's date or replacement settles nothing: settle_facts itself derives these.
create or replace function settle_restated_facts() returns trigger language plpgsql as $$
begin
    perform memory.settle_facts(s.user_id, array_agg(distinct s.fact_id))
    from changed as s
    join former as o using (user_id, statement_id)
    where (s.fact_id, s.content, s.mentioned_refs, s.importance, s.pinned, s.confidence)
        is distinct from (o.fact_id, o.content, o.mentioned_refs, o.importance, o.pinned, o.confidence)
    group by s.user_id;
    return null;
end $$;

create or replace function settle_supported_facts() returns trigger language plpgsql as $$
begin
    perform memory.settle_facts(user_id, array_agg(distinct fact_id))
    from changed join memory.fact_statements using (user_id, statement_id)
    group by user_id;
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
