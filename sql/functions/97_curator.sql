-- The curator: facts that say the same under different keys become one.
--
-- INVARIANT  What is folded is archived, never changed and never deleted, and its keys lead to the fold. A pinned fact is
--            neither folded nor archived.
-- LOCK       The user's row in fact_keeping, before any fact.

-- Folds facts of one scope into a new one, in the words of the one that p_fact_ids names first, on the words that all of
-- them rest on. Those that were pinned, archived or erased since they were looked at are left out. Returns the fold, or
-- null where fewer than two are left, or the first is gone.
create or replace function fold_facts(p_user_id uuid, p_fact_ids uuid[]) returns uuid language plpgsql as $$
declare
    v_fold uuid;
    v_folded uuid[];
begin
    perform memory.hold_facts(p_user_id);
    select array_agg(fact_id) into v_folded
    from memory.facts
    where user_id = p_user_id and fact_id = any(p_fact_ids) and status = 'ACTIVE' and not pinned;
    if coalesce(cardinality(v_folded), 0) < 2 or not p_fact_ids[1] = any(v_folded) then
        return null;
    end if;
    update memory.facts set status = 'ARCHIVED' where user_id = p_user_id and fact_id = any(v_folded);
    insert into memory.facts
        (user_id, being_id, type, entity_refs, entity_label, subtype, memory_key, source, importance_given, confidence,
        last_told_at)
    select f.user_id, f.being_id, f.type, f.entity_refs, f.entity_label, f.subtype, f.memory_key, 'curated_fold',
        (select max(importance_given) from memory.facts where user_id = p_user_id and fact_id = any(v_folded)),
        f.confidence, (select max(last_told_at) from memory.facts where user_id = p_user_id and fact_id = any(v_folded))
    from memory.facts as f
    where f.user_id = p_user_id and f.fact_id = p_fact_ids[1]
    returning fact_id into v_fold;
    with worded as (
        insert into memory.fact_statements (user_id, fact_id, content, told_as, source, confidence)
        select user_id, v_fold, content, told_as, source, confidence
        from memory.fact_statements
        where user_id = p_user_id and fact_id = p_fact_ids[1] and replaced_by is null
        order by statement_id
        returning statement_id
    )
    insert into memory.fact_evidence (user_id, statement_id, being_id, message_id, seed_id, span, told_at)
    select p_user_id, worded.statement_id, e.being_id, e.message_id, e.seed_id, min(e.span), max(e.told_at)
    from worded, memory.fact_statements as s
    join memory.fact_evidence as e on e.user_id = s.user_id and e.statement_id = s.statement_id
    where s.user_id = p_user_id and s.fact_id = any(v_folded)
    group by worded.statement_id, e.being_id, e.message_id, e.seed_id;
    update memory.facts set folded_into = v_fold where user_id = p_user_id and fact_id = any(v_folded);
    return v_fold;
end $$;
