-- What contexts are assembled from beside memory: who the Being is, its working memory, the user model; and the record
-- of what contexts have shown.

-- One row is who a Being is, in sections. Its person writes all of them but think_md, which patrols write.
create table souls (
    being_id uuid primary key references beings on delete cascade,
    -- What the user is to the Being; think_md is about being with that partner.
    partner_type text not null default 'user' check (partner_type <> ''),
    personality text not null default '',
    voice text not null default '',
    "values" text not null default '',
    backstory text not null default '',
    inner_world text not null default '',
    examples text not null default '',
    think_md text not null default '',
    -- When a patrol last wrote think_md.
    thought_at timestamptz,
    updated_at timestamptz not null default memory.now()
);

-- One row is what a Being is doing at present, as its person's program last reported it; an empty column means the
-- default.
create table soul_states (
    being_id uuid primary key references beings on delete cascade,
    project text not null default '',
    mood text not null default '',
    topic text not null default '',
    updated_at timestamptz not null default memory.now()
);

-- One row is one named entry in one of a Being's lists (rules, preferences, relationships, tools, map, skills). All
-- lists have one shape, so that a context reads them with one statement.
create table persona (
    being_id uuid not null references beings on delete cascade,
    kind text not null,
    entry_id uuid not null default uuidv7(),
    name text not null check (name <> ''),
    content text not null check (content <> ''),
    -- No context shows an entry that is not enabled.
    enabled boolean not null default true,
    -- Entries are read by position, then by age.
    position integer not null default 0,
    created_at timestamptz not null default memory.now(),
    updated_at timestamptz not null default memory.now(),
    primary key (being_id, kind, entry_id),
    unique (being_id, kind, name)
) partition by list (kind);
create table partner_rules partition of persona for values in ('partner_rules');
create table preferences partition of persona for values in ('preferences');
create table relationships partition of persona for values in ('relationships');
create table partner_tools partition of persona for values in ('partner_tools');
create table partner_map partition of persona for values in ('partner_map');
create table skills partition of persona for values in ('skills');

-- One row is a description of one user, shared by all of the user's Beings.
create table user_models (
    user_id uuid primary key references users on delete cascade,
    content text not null check (content <> ''),
    updated_at timestamptz not null default memory.now()
);

-- One row is which regions a mental process of a Being sees, where that was set; memory/context/profiles.py has the
-- defaults.
create table profiles (
    being_id uuid not null references beings on delete cascade,
    process text not null,
    regions text[] not null,
    -- Whether regions that the list does not name follow those that it names; false: they are left out.
    others boolean not null,
    instructions text not null,
    updated_at timestamptz not null default memory.now(),
    primary key (being_id, process)
);

-- One row is one entry of a region of a Being's working memory: a message by reference, or text that a caller put
-- there.
create table working_memory (
    being_id uuid not null references beings on delete cascade,
    entry_id uuid not null default uuidv7(),
    region text not null,
    role text not null check (role in ('system', 'user', 'assistant')),
    content text,
    message_id uuid,
    said_at timestamptz not null default memory.now(),
    primary key (being_id, entry_id),
    unique (being_id, message_id),
    foreign key (being_id, message_id) references messages on delete cascade,
    check ((content is null) = (message_id is not null))
);
create index working_memory_in_order on working_memory (being_id, region, said_at, entry_id);

-- One row is block 1-B of a Being's context as it was last assembled, with the ids, days and hashes that it was made
-- from.
create table session_snapshot (
    being_id uuid primary key references beings on delete cascade,
    content text not null,
    made_from jsonb not null,
    made_at timestamptz not null default memory.now()
);

-- One row is one piece of memory that a context has shown, as hashes of its runs of words: text that quotes it is
-- recognised. The Being's id goes into each hash, so that one index over all Beings answers for one.
create table shown_texts (
    being_id uuid not null references beings on delete cascade,
    text_hash bytea not null,
    shingles bigint[] not null,
    shown_at timestamptz not null default memory.now(),
    primary key (being_id, text_hash)
);
create index shown_texts_by_shingle on shown_texts using gin (shingles);
create index shown_texts_by_age on shown_texts (shown_at);

-- One row is one assembled context: its mental process, and the text_hash of every piece of memory that it showed.
create table receipts (
    being_id uuid not null references beings on delete cascade,
    context_id uuid not null default uuidv7(),
    process text not null,
    shown_hashes bytea[] not null,
    created_at timestamptz not null default memory.now(),
    primary key (being_id, context_id)
);
create index receipts_by_age on receipts (created_at);
