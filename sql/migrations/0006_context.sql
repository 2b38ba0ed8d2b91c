-- What a Being has in mind: what it is made of beside its soul, its working memory, and a trace of every context it got.

-- What belongs to a Being as lists of named entries. All lists have one shape, and a context reads them with one statement.
create table persona (
    being_id uuid not null references beings on delete cascade,
    kind text not null,
    entry_id uuid not null default uuidv7(),
    name text not null check (name <> ''),
    content text not null check (content <> ''),
    -- What is not enabled is kept, and no context shows it.
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

-- What a Being is at, as its person's program last said; an empty part is the default one.
create table soul_states (
    being_id uuid primary key references beings on delete cascade,
    project text not null default '',
    mood text not null default '',
    topic text not null default '',
    updated_at timestamptz not null default memory.now()
);

-- What is known about a user as a person; all Beings of theirs share it.
create table user_models (
    user_id uuid primary key references users on delete cascade,
    content text not null check (content <> ''),
    updated_at timestamptz not null default memory.now()
);
-- A user model is shown to a session again only when it has changed: the hash of what it was shown last.
alter table sessions add column user_model_shown bytea;

-- Which regions a mental process of a Being sees, where that was set; the defaults live in memory/profiles.py.
create table profiles (
    being_id uuid not null references beings on delete cascade,
    process text not null,
    regions text[] not null,
    -- Whether regions that are not named come after the named ones, or are left away.
    others boolean not null,
    instructions text not null,
    updated_at timestamptz not null default memory.now(),
    primary key (being_id, process)
);

-- What is in a Being's mind, region by region: messages by reference, and what callers put there by its words.
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

-- Block 1-B as it was last assembled, and the ids, days and hashes of what it was made from.
create table session_snapshot (
    being_id uuid primary key references beings on delete cascade,
    content text not null,
    made_from jsonb not null,
    made_at timestamptz not null default memory.now()
);

-- Pieces of memory that contexts have shown, each once, by marks of their runs of words: what comes back is recognised.
-- Marks are hashes that the Being's id went into, so that an index over all Beings answers for one.
create table shown_texts (
    being_id uuid not null references beings on delete cascade,
    text_hash bytea not null,
    marks bigint[] not null,
    shown_at timestamptz not null default memory.now(),
    primary key (being_id, text_hash)
);
create index shown_texts_by_mark on shown_texts using gin (marks);
create index shown_texts_by_age on shown_texts (shown_at);

-- One for each assembled context: for which process it was, and which pieces it showed.
create table receipts (
    being_id uuid not null references beings on delete cascade,
    context_id uuid not null default uuidv7(),
    process text not null,
    shown bytea[] not null,
    made_at timestamptz not null default memory.now(),
    primary key (being_id, context_id)
);
create index receipts_by_age on receipts (made_at);

alter table notes add column read_at timestamptz check (read_at is null or type <> 'scene');
create index notes_unread on notes (being_id, note_id) where type in ('todo', 'reminder') and read_at is null;
create index notes_knowledge on notes (being_id, note_id) where type = 'knowledge';
create index messages_of_others on messages (being_id, message_id) where role = 'other';
