-- Names stand for other entities, and statements follow them. The invariants are in 10_fold.sql.

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

-- Makes names stand for another entity, or for their own again. No statement is reworded, so that it can be undone. They are
-- muted with the other, and no more with the one before.
create or replace function rename_entities(p_user_id uuid, p_alias_refs text[], p_entity_ref text) returns void
language plpgsql as $$
declare
    v_mutes uuid[];
begin
    perform memory.lock_facts(p_user_id);
    select array_agg(m.mute_id) into v_mutes
    from memory.mutes as m
    where m.user_id = p_user_id and m.kind = 'entity' and (m.name = any(p_alias_refs) or memory.entity_of(p_user_id, m.name) in (
        select p_entity_ref
        union
        select a.entity_ref from memory.entity_aliases as a where a.user_id = p_user_id and a.alias_ref = any(p_alias_refs)
    ));
    update memory.entity_aliases set entity_ref = p_entity_ref
    where user_id = p_user_id and alias_ref = any(p_alias_refs);
    perform memory.refile_statements(p_user_id, p_alias_refs);
    if v_mutes is not null then
        -- Only now do facts use the entities of their own names.
        delete from memory.muted_items where user_id = p_user_id and mute_id = any(v_mutes);
        perform memory.apply_mutes(p_user_id, v_mutes);
    end if;
end $$;
