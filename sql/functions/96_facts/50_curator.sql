-- The curator: facts with the same content under different keys are folded into one.
--
-- INVARIANT  A folded fact is archived, never reworded and never deleted, and its keys lead to the fold. A pinned fact is
--            neither folded nor archived. Undoing a fold brings the folded facts back, with the statements added to the fold
--            since.
-- LOCK       The user's row in fact_states, before any fact.

-- Folds facts of one scope into a new one with the statements of the one that p_fact_ids names first, on the evidence of all of
-- them. Facts that were pinned, archived or erased since they were read are left out. Returns the fold, or null if fewer than
-- two are left, or the first is not among them.
create or replace function fold_facts(p_user_id uuid, p_fact_ids uuid[]) returns uuid language plpgsql as $$
declare
    v_fold uuid;
    v_folded uuid[];
begin
    perform memory.lock_facts(p_user_id);
    select array_agg(fact_id) into v_folded
    from memory.facts
    where user_id = p_user_id and fact_id = any(p_fact_ids) and status = 'ACTIVE' and not pinned;
    if coalesce(cardinality(v_folded), 0) < 2 or not p_fact_ids[1] = any(v_folded) then
        return null;
    end if;
    update memory.facts set status = 'ARCHIVED' where user_id = p_user_id and fact_id = any(v_folded);
    insert into memory.facts
        (user_id, being_id, type, entity_refs, entity_label, subtype, memory_key, source, confidence, last_told_at)
    select f.user_id, f.being_id, f.type, f.entity_refs, f.entity_label, f.subtype, f.memory_key, 'curated_fold',
        f.confidence, f.last_told_at
    from memory.facts as f
    where f.user_id = p_user_id and f.fact_id = p_fact_ids[1]
    returning fact_id into v_fold;
    with copied as (
        insert into memory.fact_statements
            (user_id, fact_id, content, mentioned_refs, subject_ref, source, confidence, importance, said_at)
        select user_id, v_fold, content, mentioned_refs, subject_ref, source, confidence,
            (select max(base_importance) from memory.facts where user_id = p_user_id and fact_id = any(v_folded)),
            said_at
        from memory.fact_statements
        where user_id = p_user_id and fact_id = p_fact_ids[1] and replaced_by is null
        order by statement_id
        returning statement_id
    )
    insert into memory.fact_evidence (user_id, statement_id, being_id, message_id, seed_id, span, told_at)
    select p_user_id, copied.statement_id, e.being_id, e.message_id, e.seed_id, min(e.span), max(e.told_at)
    from copied, memory.fact_statements as s
    join memory.fact_evidence as e on e.user_id = s.user_id and e.statement_id = s.statement_id
    where s.user_id = p_user_id and s.fact_id = any(v_folded)
    group by copied.statement_id, e.being_id, e.message_id, e.seed_id;
    update memory.facts set folded_into = v_fold where user_id = p_user_id and fact_id = any(v_folded);
    -- Its content was compared, and embedded, as that of the first.
    update memory.facts set curated = true where user_id = p_user_id and fact_id = v_fold;
    insert into memory.fact_vectors (user_id, fact_id, embedding_model, text_hash, vector)
    select user_id, v_fold, embedding_model, text_hash, vector
    from memory.fact_vectors
    where user_id = p_user_id and fact_id = p_fact_ids[1];
    return v_fold;
end $$;

-- Undoes the folds that rest on messages that are about to be withdrawn or judged again: the words of a fold are those of one of
-- its facts, which may go with them. The curator compares the facts that remain anew.
create or replace function unfold_withdrawn(p_user_id uuid, p_being_id uuid, p_message_ids uuid[]) returns void
language plpgsql as $$
begin
    perform memory.unfold_for_now(p_user_id, fold.fact_id)
    from (
        select distinct f.fact_id
        from memory.fact_evidence as e
        join memory.fact_statements as s on s.user_id = e.user_id and s.statement_id = e.statement_id
        join memory.facts as f on f.user_id = s.user_id and f.fact_id = s.fact_id
        where e.being_id = p_being_id and e.message_id = any(p_message_ids) and f.source = 'curated_fold'
            and f.status = 'ACTIVE'
        order by f.fact_id
    ) as fold;
end $$;

-- Undoes a fold whose facts the curator compares, and may fold, again.
create or replace function unfold_for_now(p_user_id uuid, p_fold uuid) returns void language plpgsql as $$
declare
    v_facts constant uuid[] := memory.unfold_facts(p_user_id, p_fold);
begin
    update memory.facts set never_fold = false, curated = false
    where user_id = p_user_id and fact_id = any(v_facts);
end $$;

-- Undoes a fold: its facts are active again, and none of them is ever folded again. Statements added to the fold since go to the
-- fact of its key, or to the one whose statements the fold had. Returns the facts, that one first.
create or replace function unfold_facts(p_user_id uuid, p_fold uuid) returns uuid[] language plpgsql as $$
declare
    v_folded uuid[];
    v_key text := (select memory_key from memory.facts where user_id = p_user_id and fact_id = p_fold);
    v_pinned boolean := (select user_pinned from memory.facts where user_id = p_user_id and fact_id = p_fold);
begin
    perform memory.lock_facts(p_user_id);
    select array_agg(fact_id order by memory_key = v_key desc, fact_id) into v_folded
    from memory.facts
    where user_id = p_user_id and folded_into = p_fold and content <> '';
    -- Mentions of copied statements since the fold: evidence that none of the folded facts has.
    insert into memory.fact_evidence
        (user_id, statement_id, being_id, message_id, seed_id, span, told_at, content, mentioned_refs, importance, confidence,
        outdated)
    select distinct on (e.being_id, e.message_id, e.seed_id)
        p_user_id, original.statement_id, e.being_id, e.message_id, e.seed_id, e.span, e.told_at, e.content,
        e.mentioned_refs, e.importance, e.confidence, e.outdated
    from memory.fact_statements as copy
    join memory.fact_evidence as e on e.user_id = copy.user_id and e.statement_id = copy.statement_id
    join memory.fact_statements as original
        on original.user_id = copy.user_id and original.fact_id = v_folded[1] and original.content = copy.content
    where copy.user_id = p_user_id and copy.fact_id = p_fold
        and not exists (
            select
            from memory.fact_statements as s
            join memory.fact_evidence as known on known.user_id = s.user_id and known.statement_id = s.statement_id
            where s.user_id = p_user_id and s.fact_id = any(v_folded)
                and (known.message_id = e.message_id or known.seed_id = e.seed_id)
        )
    order by e.being_id, e.message_id, e.seed_id, original.statement_id;
    -- Statements since the fold, and the shells of entities that were merged since.
    update memory.fact_statements as s
    set fact_id = coalesce(
        (
            select f.fact_id
            from memory.facts as f
            join memory.facts as fold on fold.user_id = f.user_id and fold.fact_id = p_fold
            where f.user_id = p_user_id and f.fact_id = any(v_folded)
                and f.memory_key = memory.memory_key(
                    fold.type, memory.entity_of(p_user_id, s.mentioned_refs[1]), f.subtype ->> 'factType',
                    memory.entity_of(p_user_id, s.subject_ref)
                )
            order by f.fact_id
            limit 1
        ),
        v_folded[1]
    )
    where s.user_id = p_user_id and s.fact_id = p_fold
        and not exists (
            select
            from memory.fact_statements as original
            where original.user_id = p_user_id and original.fact_id = v_folded[1] and original.content = s.content
        );
    -- A person's correction of the whole fold.
    insert into memory.fact_conflicts (user_id, statement_id, other_id)
    select p_user_id, c.statement_id, o.statement_id
    from memory.fact_statements as c
    join memory.fact_statements as o on o.user_id = c.user_id and o.fact_id = c.fact_id and o.statement_id <> c.statement_id
    where c.user_id = p_user_id and c.fact_id = v_folded[1] and c.source = 'corrected' and o.said_at < c.said_at
    on conflict do nothing;
    update memory.facts set folded_into = v_folded[1]
    where user_id = p_user_id and folded_into = p_fold and content = '';
    delete from memory.facts where user_id = p_user_id and fact_id = p_fold;
    update memory.facts set status = 'ACTIVE', folded_into = null, never_fold = true,
        user_pinned = user_pinned or coalesce(v_pinned, false) and fact_id = v_folded[1]
    where user_id = p_user_id and fact_id = any(v_folded);
    perform memory.settle_facts(p_user_id, v_folded);
    return v_folded;
end $$;
