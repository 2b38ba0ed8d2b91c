-- Facts about a user with their statements and evidence, the entities that they name, todos, and seeds.
--
-- A row with a being_id was told to that Being in confidence and is known to it alone; null: all of the user's Beings
-- know it.

-- One row is a user's state of fact-keeping. Writers of the user's facts lock it (sql/functions/96_facts.sql).
create table fact_states (
    user_id uuid primary key references users on delete cascade,
    -- The model whose vectors serve retrieval; null until the first vectors are complete.
    embedding_model text,
    -- The curator's last run, and how many facts there were then (the seed's lastRunAt and lastMemoryCountAtRun).
    last_run_at timestamptz,
    last_memory_count_at_run integer not null default 0,
    -- No key can pay for the spine: its work is not requested until one can.
    spine_waits_for_key boolean not null default false
);
create index fact_states_waiting on fact_states (user_id) where spine_waits_for_key;

-- One row is one intention, habit, loose end or conflict of the user, known to the Being that it was told to.
create table todos (
    being_id uuid not null references beings on delete cascade,
    todo_id uuid not null default uuidv7(),
    kind text not null check (kind in ('commitment', 'habit', 'thread', 'friction')),
    content text not null check (content <> ''),
    status text not null default 'OPEN' check (status in ('OPEN', 'DONE', 'ARCHIVED')),
    pinned boolean not null default false,
    due text,
    source text not null check (source in ('shadow_extraction', 'seeded_profile')),
    confidence double precision not null check (confidence between 0 and 1),
    created_at timestamptz not null default memory.now(),
    last_told_at timestamptz not null default memory.now(),
    closed_at timestamptz,
    primary key (being_id, todo_id),
    check ((status = 'OPEN') = (closed_at is null)),
    check (status <> 'ARCHIVED' or not pinned)
);
create index todos_open on todos (being_id, todo_id) where status = 'OPEN';

-- One row is one quotation of a message that supports a todo.
create table todo_evidence (
    being_id uuid not null,
    todo_id uuid not null,
    message_id uuid not null,
    span text not null,
    -- Whether these words say that it is done.
    closes boolean not null default false,
    primary key (being_id, todo_id, message_id),
    foreign key (being_id, todo_id) references todos on delete cascade,
    foreign key (being_id, message_id) references messages on delete cascade
);
create index todo_evidence_of_message on todo_evidence (being_id, message_id);

-- One row is one item of a user's seeded profile; the same content in the same scope is the same seed. It is deleted
-- with the last evidence that rests on it (a trigger in sql/functions/96_facts.sql), or with the todo made from it.
create table user_seeds (
    user_id uuid not null references users on delete cascade,
    seed_id uuid not null default uuidv7(),
    being_id uuid references beings on delete cascade,
    todo_id uuid,
    content jsonb not null,
    content_hash bytea not null,
    created_at timestamptz not null default memory.now(),
    primary key (user_id, seed_id),
    constraint user_seeds_once unique nulls not distinct (user_id, being_id, content_hash),
    foreign key (being_id, todo_id) references todos on delete cascade,
    check (todo_id is null or being_id is not null)
);
create index user_seeds_of_being on user_seeds (being_id) where being_id is not null;
create index user_seeds_of_todo on user_seeds (being_id, todo_id) where todo_id is not null;

-- One row is one name of an entity, and the entity that it stands for: itself, unless the two were merged.
create table entity_aliases (
    user_id uuid not null references users on delete cascade,
    alias_ref text not null check (alias_ref ~ '^[a-z]+:.+$'),
    entity_ref text not null,
    created_at timestamptz not null default memory.now(),
    primary key (user_id, alias_ref),
    foreign key (user_id, entity_ref) references entity_aliases
);
create index entity_aliases_of_entity on entity_aliases (user_id, entity_ref);

-- One row is what a name is called in one scope: a label told to one Being in confidence is shown to no other.
create table entity_labels (
    user_id uuid not null,
    label_id uuid not null default uuidv7(),
    being_id uuid references beings on delete cascade,
    alias_ref text not null,
    label text not null check (label <> ''),
    primary key (user_id, label_id),
    unique nulls not distinct (user_id, being_id, alias_ref),
    foreign key (user_id, alias_ref) references entity_aliases on delete cascade
);
create index entity_labels_of_alias on entity_labels (user_id, alias_ref);
create index entity_labels_of_being on entity_labels (being_id) where being_id is not null;

-- One row is one pair of entities that may be the same, and what was decided. A merge changes entity_aliases and never
-- a statement, so that it can be undone.
create table entity_merges (
    user_id uuid not null,
    merge_id uuid not null default uuidv7(),
    kept_ref text not null,
    merged_ref text not null,
    state text not null check (state in ('proposed', 'merged', 'declined', 'undone')),
    similarity double precision not null,
    -- The names that stood for the merged entity, and would again.
    aliases text[] not null default '{}',
    created_at timestamptz not null default memory.now(),
    decided_at timestamptz,
    primary key (user_id, merge_id),
    unique (user_id, kept_ref, merged_ref),
    foreign key (user_id, kept_ref) references entity_aliases on delete cascade,
    foreign key (user_id, merged_ref) references entity_aliases on delete cascade
);

-- One row is one fact: what all statements under one memory key say. Content, entities, confidence, mentions and
-- sessions are derived from its statements and evidence by trigger.
create table facts (
    user_id uuid not null references users on delete cascade,
    fact_id uuid not null default uuidv7(),
    being_id uuid references beings on delete cascade,
    type text not null check (type in ('PROFILE', 'PEOPLE', 'PROJECT')),
    -- The standing statements, in the order in which they came.
    content text not null default '',
    -- The first is what the fact is about.
    entity_refs text[] not null check (cardinality(entity_refs) > 0),
    entity_label text not null check (entity_label <> ''),
    subtype jsonb not null check (
        subtype ->> 'entityType' in ('person', 'place', 'org', 'project', 'thing')
        and subtype ->> 'factType' in ('fact', 'preference', 'relationship', 'friction', 'habit')
    ),
    memory_key text not null check (memory_key <> ''),
    source text not null check (source in ('shadow_extraction', 'seeded_profile', 'curated_fold')),
    status text not null default 'ACTIVE' check (status in ('ACTIVE', 'ARCHIVED')),
    pinned boolean not null default false,
    -- The importance that extraction or a person gave it; `importance` is what counts.
    base_importance smallint not null default 1 check (base_importance between 0 and 3),
    -- How often, and in how many conversations, it was told.
    mentions integer not null default 0,
    sessions integer not null default 0,
    importance smallint not null generated always as (
        case when pinned then 3 when base_importance = 1 and sessions >= 3 then 2 else base_importance end
    ) stored,
    confidence double precision not null check (confidence between 0 and 1),
    -- The fact that took its statements over, when it was folded with others or its entity was merged.
    folded_into uuid,
    created_at timestamptz not null default memory.now(),
    last_told_at timestamptz not null default memory.now(),
    primary key (user_id, fact_id),
    -- Only this column is emptied when the fact that it names is erased.
    foreign key (user_id, folded_into) references facts on delete set null (folded_into),
    check (folded_into is null or status = 'ARCHIVED')
);
create unique index facts_once on facts (user_id, being_id, memory_key) nulls not distinct where status = 'ACTIVE';
-- What entity cards are made of: few of a user's facts are so important.
create index facts_important on facts (user_id) where status = 'ACTIVE' and (importance >= 2 or pinned);
create index facts_pinned on facts (user_id, fact_id) where pinned and status = 'ACTIVE';
create index facts_folded on facts (user_id, folded_into) where folded_into is not null;

-- One row is one statement of a fact. It stands until another replaces it; erasing that one lets it stand again.
create table fact_statements (
    user_id uuid not null,
    statement_id uuid not null default uuidv7(),
    fact_id uuid not null,
    content text not null check (content <> ''),
    -- The entities as they were named, before any merge; the first is what the statement is about.
    mentioned_refs text[] not null check (cardinality(mentioned_refs) > 0),
    source text not null check (source in ('shadow_extraction', 'seeded_profile', 'corrected')),
    confidence double precision not null check (confidence between 0 and 1),
    replaced_by uuid,
    created_at timestamptz not null default memory.now(),
    primary key (user_id, statement_id),
    foreign key (user_id, fact_id) references facts on delete cascade,
    foreign key (user_id, replaced_by) references fact_statements on delete set null (replaced_by)
);
create index fact_statements_of_fact on fact_statements (user_id, fact_id);
create index fact_statements_replaced on fact_statements (user_id, replaced_by) where replaced_by is not null;

-- One row is one quotation that supports a statement: of a message, or of a seed.
create table fact_evidence (
    user_id uuid not null,
    evidence_id uuid not null default uuidv7(),
    statement_id uuid not null,
    being_id uuid,
    message_id uuid,
    seed_id uuid,
    span text not null,
    told_at timestamptz not null,
    primary key (user_id, evidence_id),
    unique (user_id, statement_id, being_id, message_id),
    foreign key (user_id, statement_id) references fact_statements on delete cascade,
    foreign key (being_id, message_id) references messages on delete cascade,
    foreign key (user_id, seed_id) references user_seeds on delete cascade,
    check ((being_id is null) = (message_id is null) and (message_id is null) <> (seed_id is null))
);
create index fact_evidence_of_message on fact_evidence (being_id, message_id) where message_id is not null;
create index fact_evidence_of_seed on fact_evidence (user_id, seed_id) where seed_id is not null;

-- One row is one fact's vector by one embedding model: the model that serves retrieval, or the next one.
create table fact_vectors (
    user_id uuid not null,
    fact_id uuid not null,
    embedding_model text not null,
    text_hash bytea not null,
    vector halfvec storage plain not null,
    primary key (user_id, fact_id, embedding_model),
    foreign key (user_id, fact_id) references facts on delete cascade
) with (toast_tuple_target = 4080);

-- One row is one event in a fact's life other than a mention, inserted by trigger. `detail` holds ids and numbers,
-- never text.
create table fact_history (
    user_id uuid not null,
    fact_id uuid not null,
    event_id bigint generated always as identity,
    event text not null,
    detail jsonb not null default '{}',
    happened_at timestamptz not null default memory.now(),
    primary key (user_id, fact_id, event_id),
    foreign key (user_id, fact_id) references facts on delete cascade
);
