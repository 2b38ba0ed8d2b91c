-- What was learnt from what was said: facts about the user, what the user means to do, and summaries of conversations.
-- Facts are the user's, for all Beings to know, but for what was said to one in confidence; the rest is a Being's.

-- A message that no judge could read, and why, in words without its content; and what was not meant for others.
alter table messages add column unjudgeable text;
alter table messages add column in_confidence boolean not null default false;
alter table messages add check (unjudgeable is null or judged);
create index messages_unheard on messages (being_id, session_id) where not judged and role = 'other';

-- Messages wait because nobody can think for this user; the first key that comes wakes them.
alter table sessions add column waits_for_key boolean not null default false;
create index sessions_waiting on sessions (being_id, session_id) where waits_for_key;

alter table session_states
    add column last_user_message text,
    add column rolling_summary text check (length(rolling_summary) <= 600),
    add column last_rolling_attempt_at timestamptz,
    add column last_rolling_success_at timestamptz,
    -- {"reason": ..., "detail": ...}, without content.
    add column last_rolling_error jsonb;

-- One row a user: whoever writes facts takes it first, so that two Beings that hear the same write one after the other.
create table fact_keeping (
    user_id uuid primary key references users on delete cascade,
    -- The model whose vectors serve retrieval; null until the first vectors are complete.
    embedding_model text,
    last_run_at timestamptz,
    last_memory_count_at_run integer not null default 0
);

-- What a user was introduced with, once each: the same content again is the same seed.
create table user_seeds (
    user_id uuid not null references users on delete cascade,
    seed_id uuid not null default uuidv7(),
    content jsonb not null,
    content_hash bytea not null,
    created_at timestamptz not null default memory.now(),
    primary key (user_id, seed_id),
    unique (user_id, content_hash)
);

create table facts (
    user_id uuid not null references users on delete cascade,
    fact_id uuid not null default uuidv7(),
    -- Said in confidence to this Being, and known to it alone; null: known to all of the user's.
    being_id uuid references beings on delete cascade,
    type text not null check (type in ('PROFILE', 'PEOPLE', 'PROJECT')),
    -- The standing statements, in the order in which they came, and all that they name, kept by trigger.
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
    importance_given smallint not null default 1 check (importance_given between 0 and 3),
    -- How often, and in how many conversations, it was told; kept by trigger.
    mentions integer not null default 0,
    sessions integer not null default 0,
    importance smallint not null generated always as (
        case when pinned then 3 when importance_given = 1 and sessions >= 3 then 2 else importance_given end
    ) stored,
    confidence double precision not null check (confidence between 0 and 1),
    -- Where it lives on after it was folded with others, or its entity was found to be another.
    folded_into uuid,
    created_at timestamptz not null default memory.now(),
    last_told_at timestamptz not null default memory.now(),
    primary key (user_id, fact_id),
    -- Without what follows it, only this column is emptied when the fact that took it in is erased.
    foreign key (user_id, folded_into) references facts on delete set null (folded_into),
    check (folded_into is null or status = 'ARCHIVED')
);
create unique index facts_once on facts (user_id, being_id, memory_key) nulls not distinct where status = 'ACTIVE';
-- What entity cards are made of: few of a user's facts weigh so much.
create index facts_weighty on facts (user_id) where status = 'ACTIVE' and (importance >= 2 or pinned);
create index facts_pinned on facts (user_id, fact_id) where pinned and status = 'ACTIVE';
create index facts_folded on facts (user_id, folded_into) where folded_into is not null;

-- What a fact says and said: a statement stands until another takes its place. Erasing that one lets it stand again.
create table fact_statements (
    user_id uuid not null,
    statement_id uuid not null default uuidv7(),
    fact_id uuid not null,
    content text not null check (content <> ''),
    -- The entities as they were named, before any of them was found to be another; the first is what it is about.
    told_as text[] not null check (cardinality(told_as) > 0),
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

-- The words that support a statement: of a message, or of a seed.
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

-- Vectors of facts, by model: the one that serves, and the one that is to come.
create table fact_vectors (
    user_id uuid not null,
    fact_id uuid not null,
    embedding_model text not null,
    text_hash bytea not null,
    vector halfvec not null,
    primary key (user_id, fact_id, embedding_model),
    foreign key (user_id, fact_id) references facts on delete cascade
);
alter table fact_vectors alter column vector set storage plain;
alter table fact_vectors set (toast_tuple_target = 4080);

-- What happened to each fact beside being told, kept by trigger. `detail` holds ids and numbers, never text.
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

-- Every name that was heard, and the entity that it stands for: itself, unless they were merged.
create table entity_aliases (
    user_id uuid not null references users on delete cascade,
    alias_ref text not null check (alias_ref ~ '^[a-z]+:.+$'),
    entity_ref text not null,
    label text not null,
    created_at timestamptz not null default memory.now(),
    primary key (user_id, alias_ref),
    foreign key (user_id, entity_ref) references entity_aliases
);
create index entity_aliases_of_entity on entity_aliases (user_id, entity_ref);

-- Names that may be one and the same. A merge changes what names stand for, never how a statement was told.
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

-- What the user means to do, does again and again, has left open, or is at odds with; told to one Being, its alone.
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

-- What came of each time that messages were judged, in numbers: {"no span": 2, ...} of what was dropped.
create table judgements (
    being_id uuid not null references beings on delete cascade,
    judgement_id uuid not null default uuidv7(),
    session_id uuid not null,
    messages integer not null,
    facts integer not null,
    todos integer not null,
    dropped jsonb not null,
    judged_at timestamptz not null default memory.now(),
    primary key (being_id, judgement_id)
);

-- The structured summary of a conversation; redone with a new version when a late message extends it.
create table session_summaries (
    being_id uuid not null,
    session_id uuid not null,
    version integer not null,
    -- {"one_liner", "what_mattered", "open_loops", "commitments", "people", "tone"}
    content jsonb not null,
    turn_count integer not null,
    created_at timestamptz not null default memory.now(),
    primary key (being_id, session_id, version),
    foreign key (being_id, session_id) references sessions on delete cascade
);

-- Every version of the rolling summary; session_states holds the newest.
create table rolling_summaries (
    being_id uuid not null references beings on delete cascade,
    version integer not null,
    content text not null check (length(content) <= 600),
    message_count bigint not null,
    created_at timestamptz not null default memory.now(),
    primary key (being_id, version)
);

-- The long line of all conversations of a user, built without what was said in confidence.
create table summary_spines (
    user_id uuid not null references users on delete cascade,
    conversation_id text not null default 'default',
    version integer not null,
    -- {"PROFILE", "PROJECTS", "PEOPLE", "OPEN_LOOPS"}
    content jsonb not null,
    -- Messages since the version before.
    message_count integer not null,
    created_at timestamptz not null default memory.now(),
    primary key (user_id, conversation_id, version)
);
