-- A fact is a fold over its statements in the order of their dates: each statement carries its date, importance and pin, and
-- which statements contradict each other is stored, so that what stands can be derived whenever a statement comes or goes.

alter table fact_statements
    -- The date of its last mention; of a correction, when it was made.
    add column said_at timestamptz not null default memory.now(),
    -- Whose fact it is, where that is not the user's and not in its first mentioned ref.
    add column subject_ref text,
    add column importance smallint not null default 1 check (importance between 0 and 3),
    add column pinned boolean not null default false;

-- Derived (memory.settle_facts): the first later statement that contradicts this one. An import may name it before it is there.
alter table fact_statements drop constraint fact_statements_user_id_replaced_by_fkey;
alter table fact_statements add foreign key (user_id, replaced_by) references fact_statements
    on delete set null (replaced_by) deferrable initially deferred;

-- Pairs of statements of one fact that can't both be true; which of the two is named first means nothing.
create table fact_conflicts (
    user_id uuid not null,
    statement_id uuid not null,
    other_id uuid not null,
    primary key (user_id, statement_id, other_id),
    foreign key (user_id, statement_id) references fact_statements on delete cascade,
    foreign key (user_id, other_id) references fact_statements on delete cascade,
    check (statement_id <> other_id)
);
create index fact_conflicts_of_other on fact_conflicts (user_id, other_id);

alter table facts
    -- Pinned by a person, whatever its statements say; `pinned` is derived from this and from standing statements.
    add column user_pinned boolean not null default false,
    -- Whether the curator has compared its present content with the user's other facts.
    add column curated boolean not null default false,
    -- A fold of it was undone: the curator leaves it alone.
    add column never_fold boolean not null default false;
create index facts_uncurated on facts (user_id, fact_id) where status = 'ACTIVE' and not curated;

update facts as f
set user_pinned = f.pinned,
    curated = coalesce(f.created_at <= k.last_run_at, false)
from fact_states as k
where k.user_id = f.user_id;

update fact_statements as s
set importance = f.base_importance,
    said_at = coalesce(
        (
            select max(e.told_at)
            from fact_evidence as e
            where e.user_id = s.user_id and e.statement_id = s.statement_id and s.source <> 'corrected'
        ),
        s.created_at
    )
from facts as f
where f.user_id = s.user_id and f.fact_id = s.fact_id;

-- What had been replaced one after the other is a chain about one matter.
with recursive replaced (user_id, statement_id, other_id) as (
    select user_id, statement_id, replaced_by from fact_statements where replaced_by is not null
    union
    select r.user_id, r.statement_id, s.replaced_by
    from replaced as r
    join fact_statements as s on s.user_id = r.user_id and s.statement_id = r.other_id
    where s.replaced_by is not null
)
insert into fact_conflicts (user_id, statement_id, other_id)
select user_id, statement_id, other_id from replaced where statement_id <> other_id;

-- A correction replaced what its fact said, whatever the dates of that.
update fact_statements as s
set said_at = greatest(
    s.said_at,
    (
        select max(o.said_at) + interval '1 microsecond'
        from fact_conflicts as c
        join fact_statements as o on o.user_id = c.user_id and o.statement_id = c.statement_id
        where c.user_id = s.user_id and c.other_id = s.statement_id and o.created_at <= s.created_at
    )
)
where s.source = 'corrected';

update fact_statements as s
set replaced_by = (
    select later.statement_id
    from fact_conflicts as c
    join fact_statements as later
        on later.user_id = c.user_id
        and later.statement_id = case when c.statement_id = s.statement_id then c.other_id else c.statement_id end
    where c.user_id = s.user_id and s.statement_id in (c.statement_id, c.other_id)
        and later.fact_id = s.fact_id and (later.said_at, later.statement_id) > (s.said_at, s.statement_id)
    order by later.said_at, later.statement_id
    limit 1
)
where exists (
    select from fact_conflicts as c where c.user_id = s.user_id and s.statement_id in (c.statement_id, c.other_id)
);

-- Several statements of one fact read as sentences.
update facts as f
set content = said.content, confidence = said.confidence,
    entity_refs = (
        select array_agg(named.ref order by named.place)
        from (
            select coalesce(a.entity_ref, name.ref) as ref, min((n.statement_id::text, name.place)) as place
            from fact_statements as n
            cross join unnest(n.mentioned_refs) with ordinality as name (ref, place)
            left join entity_aliases as a on a.user_id = n.user_id and a.alias_ref = name.ref
            where n.user_id = f.user_id and n.fact_id = f.fact_id and n.replaced_by is null
            group by 1
        ) as named
    ),
    base_importance = case when f.folded_into is null then said.importance else f.base_importance end
from (
    select s.user_id, s.fact_id, max(s.confidence) as confidence, max(s.importance) as importance,
        regexp_replace(
            string_agg(
                s.content || case when s.content ~ '[.!?…。！？।؟]["''”’)»]*$' then ' ' else '; ' end,
                '' order by coalesce(first.told_at, s.said_at), s.statement_id
            ),
            '(; | )$', ''
        ) as content
    from fact_statements as s,
    lateral (
        select min(e.told_at) as told_at
        from fact_evidence as e
        where e.user_id = s.user_id and e.statement_id = s.statement_id
    ) as first
    where s.replaced_by is null
    group by s.user_id, s.fact_id
) as said
where f.user_id = said.user_id and f.fact_id = said.fact_id and f.content <> '';
