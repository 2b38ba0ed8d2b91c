-- Statements are added to facts, contradict each other, and are corrected. The invariants are in 10_fold.sql.

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
            and f.being_id is not distinct from p_scope
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

-- Stores that a statement contradicts others of its fact. A statement that contradicts one of several exclusive values is
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

-- Ids, with those in p_from replaced by the ones at their places in p_to.
create or replace function translated(p_ids uuid[], p_from uuid[], p_to uuid[]) returns uuid[] language sql immutable
return array(select coalesce(p_to[array_position(p_from, id)], id) from unnest(p_ids) as id);

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
    v_facts uuid[] := '{}';
    v_outcomes text[] := '{}';
    -- The ids that the items name statements by, and the statements that they are.
    v_named uuid[] := '{}';
    v_kept uuid[] := '{}';
begin
    perform memory.lock_facts(p_user_id);
    for v_item in
        select *
        from rows from (
            jsonb_to_recordset(p_statements) as (
                statement_id uuid, scope uuid, type text, entity_label text, fact_type text, mentioned_refs text[],
                subject_ref text, content text, source text, confidence double precision, importance smallint,
                pinned boolean, same_as uuid, contradicts uuid[], being_id uuid, message_id uuid, seed_id uuid, span text,
                told_at timestamptz, about_from timestamptz, about_until timestamptz
            )
        ) with ordinality as item (
            statement_id, scope, type, entity_label, fact_type, mentioned_refs, subject_ref, content, source, confidence,
            importance, pinned, same_as, contradicts, being_id, message_id, seed_id, span, told_at, about_from, about_until,
            place
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
        -- Equal content is a mention, whichever statement the model compared.
        select s.statement_id into v_statement_id
        from memory.fact_statements as s
        where s.user_id = p_user_id and s.fact_id = v_fact_id
            and (s.statement_id = any(memory.translated(array[v_item.same_as], v_named, v_kept))
                or lower(s.content) = lower(v_item.content))
        order by s.statement_id = any(memory.translated(array[v_item.same_as], v_named, v_kept)) desc, s.said_at desc,
            s.statement_id
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
            set pinned = s.pinned or v_item.pinned
            where s.user_id = p_user_id and s.statement_id = v_statement_id;
        end if;
        insert into memory.fact_evidence
            (user_id, statement_id, being_id, message_id, seed_id, span, told_at, content, mentioned_refs, importance,
            confidence, about_from, about_until)
        values (p_user_id, v_statement_id, v_item.being_id, v_item.message_id, v_item.seed_id, v_item.span, v_item.told_at,
            v_item.content, v_item.mentioned_refs, v_item.importance, v_item.confidence, v_item.about_from,
            v_item.about_until)
        -- Outdated evidence that is found again stays.
        on conflict (user_id, statement_id, being_id, message_id) do update
        set outdated = false, span = excluded.span, content = excluded.content, mentioned_refs = excluded.mentioned_refs,
            importance = excluded.importance, confidence = excluded.confidence, about_from = excluded.about_from,
            about_until = excluded.about_until
        where fact_evidence.outdated;
        v_facts := v_facts || v_fact_id;
        v_outcomes := v_outcomes || outcome;
        v_named := v_named || v_item.statement_id;
        v_kept := v_kept || v_statement_id;
    end loop;
    -- A statement may contradict one that comes behind it.
    for v_item in
        select item.contradicts, item.place
        from rows from (jsonb_to_recordset(p_statements) as (contradicts uuid[])) with ordinality as item (contradicts, place)
        order by item.place
    loop
        place := v_item.place;
        fact_id := v_facts[place];
        outcome := v_outcomes[place];
        if memory.add_conflicts(
            p_user_id, v_kept[place], memory.translated(v_item.contradicts, v_named, v_kept)
        ) > 0 and outcome = 'added' then
            outcome := 'replaced';
        end if;
        return next;
    end loop;
    -- Evidence that was found again may have other words.
    perform memory.settle_facts(p_user_id, v_facts);
end $$;

-- Dates a seed anew that is sent again after another seed has replaced its statement, and returns whether one had. Later
-- statements of the user stand: a program may send its seeds again each time it starts.
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

-- Adds a person's wording that replaces all statements of a fact, and is dated after them.
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
