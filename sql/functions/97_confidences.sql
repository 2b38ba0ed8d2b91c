-- Confidences: messages that stay, with all that rests on them, with the Being that received them.
--
-- INVARIANT 1  A message is in confidence if a person decided so; else, unless a person decided against it, if its producer
--              marked it or the judge found a request for it in this or another message that stands (confidences).
-- INVARIANT 2  At every commit the statements of a judged message are in a fact of its Being alone if the message is in
--              confidence, and otherwise in a fact of the user's. A message in confidence is in no spine but its Being's own.
-- LOCK         The Being's session state, then the user's facts.

-- Whether a producer marked a message as in confidence. Any value counts but false and null, so that no misspelt one leaks.
create or replace function marked_confidential(p_metadata jsonb) returns boolean language sql immutable
return coalesce(p_metadata -> 'in_confidence' not in ('false'::jsonb, 'null'::jsonb), false);

-- Stores the requests for confidence that the judge found in messages: the message at each place of p_message_ids is asked for by
-- the one at this place of p_asked_in. Findings of an earlier judging stay: a repeated one may not be shown the messages, and
-- `facts_known_to` may be another by then. Returns as settle_confidences.
create or replace function keep_confidences(
    p_being_id uuid, p_judged uuid[], p_message_ids uuid[], p_asked_in uuid[]
) returns boolean language plpgsql as $$
begin
    insert into memory.confidences (being_id, message_id, asked_in)
    select p_being_id, asked.message_id, asked.asked_in
    from unnest(p_message_ids, p_asked_in) as asked (message_id, asked_in)
    on conflict do nothing;
    return memory.settle_confidences(p_being_id, p_judged || p_message_ids);
end $$;

-- Derives whether messages are in confidence (invariant 1), and with it where their statements are, which spine may include them,
-- and which todos rest on a confidence. Returns whether statements were moved, so that names may have become unused.
create or replace function settle_confidences(p_being_id uuid, p_message_ids uuid[]) returns boolean language plpgsql as $$
declare
    v_user_id constant uuid := (select user_id from memory.beings where being_id = p_being_id);
    v_changed uuid[];
    v_moved boolean;
begin
    perform memory.lock_session_state(p_being_id);
    perform memory.lock_facts(v_user_id);
    v_changed := array(
        select m.message_id
        from memory.messages as m
        where m.being_id = p_being_id and m.message_id = any(p_message_ids) and m.in_confidence <> coalesce(
            m.confidence_decided,
            memory.marked_confidential(m.metadata) or exists (
                select from memory.confidences as c
                where c.being_id = m.being_id and c.message_id = m.message_id
            )
        )
    );
    if v_changed <> '{}' then
        -- It leaves the one spine, and waits for the other. Spines have the user's words alone.
        perform memory.forget_in_spine(v_user_id, p_being_id, array(
            select m.message_id from memory.messages as m
            where m.being_id = p_being_id and m.message_id = any(v_changed) and m.role = 'user'
        ));
        delete from memory.model_responses where owner_id = v_user_id and not retained;
        update memory.messages as m
        set in_confidence = not m.in_confidence,
            spine_version = case when memory.marked_unsure(m.metadata) or m.follows and m.in_confidence then 0 end
        where m.being_id = p_being_id and m.message_id = any(v_changed);
    end if;
    v_moved := memory.scope_statements(v_user_id, p_being_id, p_message_ids, '{}');
    perform memory.word_todos(p_being_id, array(
        select distinct todo_id from memory.todo_evidence
        where being_id = p_being_id and message_id = any(p_message_ids)
    ));
    return v_moved;
end $$;

-- The evidence of messages and seeds whose fact is not in their scope, and that scope.
create or replace function misplaced_evidence(p_user_id uuid, p_being_id uuid, p_message_ids uuid[], p_seed_ids uuid[])
returns table (evidence_id uuid, statement_id uuid, fact_id uuid, scope uuid) language sql stable as $$
    select e.evidence_id, s.statement_id, s.fact_id, told.scope
    from (
        select e.evidence_id, e.statement_id, case when m.in_confidence then m.being_id end as scope
        from memory.messages as m
        join memory.fact_evidence as e on e.being_id = m.being_id and e.message_id = m.message_id
        where m.being_id = p_being_id and m.message_id = any(p_message_ids) and e.user_id = p_user_id
        union all
        select e.evidence_id, e.statement_id, d.being_id
        from memory.user_seeds as d
        join memory.fact_evidence as e on e.user_id = d.user_id and e.seed_id = d.seed_id
        where d.user_id = p_user_id and d.seed_id = any(p_seed_ids)
    ) as told
    join memory.fact_evidence as e on e.user_id = p_user_id and e.evidence_id = told.evidence_id
    join memory.fact_statements as s on s.user_id = p_user_id and s.statement_id = told.statement_id
    join memory.facts as f on f.user_id = p_user_id and f.fact_id = s.fact_id
    where f.being_id is distinct from told.scope;
$$;

-- Moves the statements of messages and seeds to facts of their scope (invariant 2). A statement that others made as well is
-- divided. Merges with names that the user's Beings would know from a confidence alone are undone. Returns whether any moved.
create or replace function scope_statements(p_user_id uuid, p_being_id uuid, p_message_ids uuid[], p_seed_ids uuid[])
returns boolean language plpgsql as $$
#variable_conflict use_column
declare
    v_row record;
    v_copy uuid;
    v_moved boolean := false;
begin
    perform memory.lock_facts(p_user_id);
    perform memory.unfold_for_now(p_user_id, fold.fact_id)
    from (
        select distinct w.fact_id
        from memory.misplaced_evidence(p_user_id, p_being_id, p_message_ids, p_seed_ids) as w
        join memory.facts as f on f.user_id = p_user_id and f.fact_id = w.fact_id
        where f.source = 'curated_fold' and f.status = 'ACTIVE'
        order by w.fact_id
    ) as fold;
    for v_row in
        select w.statement_id, array_agg(w.evidence_id) as evidence_ids
        from memory.misplaced_evidence(p_user_id, p_being_id, p_message_ids, p_seed_ids) as w
        group by w.statement_id
        having exists (
            select from memory.fact_evidence as e
            where e.user_id = p_user_id and e.statement_id = w.statement_id and e.evidence_id <> all(array_agg(w.evidence_id))
        )
        order by w.statement_id
    loop
        insert into memory.fact_statements
            (user_id, fact_id, content, mentioned_refs, subject_ref, source, confidence, importance, weighed, said_at)
        select user_id, fact_id, content, mentioned_refs, subject_ref, source, confidence, importance, weighed, said_at
        from memory.fact_statements
        where user_id = p_user_id and statement_id = v_row.statement_id
        returning statement_id into v_copy;
        insert into memory.fact_conflicts (user_id, statement_id, other_id)
        select p_user_id, case statement_id when v_row.statement_id then v_copy else statement_id end,
            case other_id when v_row.statement_id then v_copy else other_id end
        from memory.fact_conflicts
        where user_id = p_user_id and v_row.statement_id in (statement_id, other_id);
        update memory.fact_evidence set statement_id = v_copy
        where user_id = p_user_id and evidence_id = any(v_row.evidence_ids);
    end loop;
    for v_row in
        select w.fact_id, w.scope, array_agg(distinct w.statement_id) as statement_ids
        from memory.misplaced_evidence(p_user_id, p_being_id, p_message_ids, p_seed_ids) as w
        group by w.fact_id, w.scope
        order by w.fact_id
    loop
        perform memory.move_statements(p_user_id, v_row.fact_id, v_row.statement_ids, v_row.scope);
        v_moved := true;
    end loop;
    return v_moved;
end $$;

-- Moves statements of a fact to the fact of the same key in another scope. The fact itself changes its scope if all of its
-- statements go, and none is there.
create or replace function move_statements(p_user_id uuid, p_fact_id uuid, p_statement_ids uuid[], p_scope uuid)
returns void language plpgsql as $$
#variable_conflict use_column
declare
    v_fact memory.facts;
    v_target uuid;
    v_whole boolean;
    v_moved uuid[] := p_statement_ids;
    v_refs text[];
    v_row record;
begin
    select * into v_fact from memory.facts where user_id = p_user_id and fact_id = p_fact_id;
    v_whole := not exists (
        select from memory.fact_statements
        where user_id = p_user_id and fact_id = p_fact_id and source <> 'corrected' and statement_id <> all(v_moved)
    );
    v_target := memory.fact_under(p_user_id, p_scope, v_fact.memory_key);
    -- A correction is a person's wording of all that the fact held then, the confidence included.
    if v_whole or p_scope is not null then
        v_moved := v_moved || array(
            select s.statement_id
            from memory.fact_statements as s
            where s.user_id = p_user_id and s.fact_id = p_fact_id and s.source = 'corrected' and (
                v_whole or exists (
                    select from memory.fact_conflicts as c
                    where c.user_id = p_user_id and c.statement_id = s.statement_id and c.other_id = any(v_moved)
                )
            )
        );
    end if;
    v_refs := array(
        select distinct name.ref
        from memory.fact_statements as s, unnest(s.mentioned_refs || s.subject_ref) as name (ref)
        where s.user_id = p_user_id and s.statement_id = any(v_moved) and name.ref is not null
    );
    insert into memory.entity_labels (user_id, being_id, alias_ref, label)
    select p_user_id, p_scope, alias_ref, label
    from memory.entity_labels
    where user_id = p_user_id and being_id is not distinct from v_fact.being_id and alias_ref = any(v_refs)
    on conflict do nothing;
    if v_whole and (v_target is null or v_fact.status = 'ARCHIVED') then
        -- Keys of the facts that it took over lead to it, in its scope alone.
        with recursive way (fact_id) as (
            select p_fact_id
            union all
            select f.fact_id from way join memory.facts as f on f.user_id = p_user_id and f.folded_into = way.fact_id
            where f.content = ''
        )
        update memory.facts as f
        set being_id = p_scope, folded_into = case when f.fact_id <> p_fact_id then f.folded_into end
        from way
        where f.user_id = p_user_id and f.fact_id = way.fact_id;
    else
        if v_target is null then
            insert into memory.facts
                (user_id, being_id, type, entity_refs, entity_label, subtype, memory_key, source, status, base_importance,
                confidence, last_told_at)
            select v_fact.user_id, p_scope, v_fact.type, v_fact.entity_refs, v_fact.entity_label, v_fact.subtype,
                v_fact.memory_key, s.source, v_fact.status, v_fact.base_importance, v_fact.confidence, v_fact.last_told_at
            from memory.fact_statements as s
            where s.user_id = p_user_id and s.statement_id = p_statement_ids[1]
            returning fact_id into v_target;
        end if;
        update memory.fact_statements set fact_id = v_target
        where user_id = p_user_id and statement_id = any(v_moved);
        -- The same words there are one statement.
        for v_row in
            select s.statement_id, min(o.statement_id::text)::uuid as kept
            from memory.fact_statements as s
            join memory.fact_statements as o on o.user_id = s.user_id and o.fact_id = s.fact_id
                and lower(o.content) = lower(s.content) and o.statement_id <> all(v_moved)
            where s.user_id = p_user_id and s.statement_id = any(v_moved) and s.source <> 'corrected'
            group by s.statement_id
        loop
            update memory.fact_evidence as e set statement_id = v_row.kept
            where e.user_id = p_user_id and e.statement_id = v_row.statement_id and not exists (
                select from memory.fact_evidence as known
                where known.user_id = p_user_id and known.statement_id = v_row.kept and known.message_id = e.message_id
            );
            delete from memory.fact_statements where user_id = p_user_id and statement_id = v_row.statement_id;
        end loop;
        if v_whole then
            update memory.facts set user_pinned = user_pinned or v_fact.user_pinned
            where user_id = p_user_id and fact_id = v_target;
        end if;
    end if;
    perform memory.settle_facts(p_user_id, array[p_fact_id, v_target]);
    if p_scope is not null then
        perform memory.forget_merges(p_user_id, v_refs);
        -- The remaining fact is called by a name that all know.
        update memory.facts as f set entity_label = l.label
        from memory.entity_labels as l
        where f.user_id = p_user_id and f.fact_id = p_fact_id and f.being_id is null
            and l.user_id = p_user_id and l.being_id is null and l.alias_ref = f.entity_refs[1];
    end if;
end $$;

-- Undoes the merges by which names in shared facts stand for names that no shared fact mentions any more.
create or replace function forget_merges(p_user_id uuid, p_refs text[]) returns void language plpgsql as $$
declare
    v_secret constant text[] := array(
        select ref from unnest(p_refs) as ref
        where not exists (
            select
            from memory.facts as f
            join memory.fact_statements as s on s.user_id = f.user_id and s.fact_id = f.fact_id
            where f.user_id = p_user_id and f.being_id is null and (ref = any(s.mentioned_refs) or ref = s.subject_ref)
        )
    );
begin
    delete from memory.entity_merges
    where user_id = p_user_id and state in ('proposed', 'merged') and kept_ref = any(v_secret) and merged_ref <> all(v_secret);
    perform memory.rename_entities(p_user_id, array[parted.alias_ref], parted.alias_ref)
    from (
        select alias_ref from memory.entity_aliases
        where user_id = p_user_id and entity_ref = any(v_secret) and alias_ref <> all(v_secret)
        order by alias_ref
    ) as parted;
end $$;

-- Stores a person's decision about messages: whether they are in confidence.
create or replace function decide_confidence(p_being_id uuid, p_message_ids uuid[], p_in_confidence boolean) returns void
language plpgsql as $$
begin
    perform memory.lock_session_state(p_being_id);
    update memory.messages set confidence_decided = p_in_confidence
    where being_id = p_being_id and message_id = any(p_message_ids);
    perform memory.settle_confidences(p_being_id, p_message_ids);
end $$;

-- Gives a fact to one Being, or with null to all of the user's Beings, as far as it rests on seeds and a person's corrections;
-- its messages are decided on before. A seed that is in that scope already supports its own statement there.
create or replace function scope_fact(p_user_id uuid, p_fact_id uuid, p_seed_ids uuid[], p_scope uuid) returns void
language plpgsql as $$
begin
    delete from memory.user_seeds as d
    using memory.user_seeds as known
    where d.user_id = p_user_id and d.seed_id = any(p_seed_ids) and d.being_id is distinct from p_scope
        and known.user_id = p_user_id and known.being_id is not distinct from p_scope
        and known.content_hash = d.content_hash;
    update memory.user_seeds set being_id = p_scope
    where user_id = p_user_id and seed_id = any(p_seed_ids) and being_id is distinct from p_scope;
    perform memory.scope_statements(p_user_id, null, '{}', p_seed_ids);
    if exists (
        select from memory.facts
        where user_id = p_user_id and fact_id = p_fact_id and being_id is distinct from p_scope
    ) and not exists (
        select from memory.fact_statements
        where user_id = p_user_id and fact_id = p_fact_id and source <> 'corrected'
    ) then
        perform memory.move_statements(p_user_id, p_fact_id, '{}', p_scope);
    end if;
end $$;
