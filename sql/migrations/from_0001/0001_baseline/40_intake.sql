-- Notes: what producers hand in for a Being, apart from messages.

-- One row is one accepted note. A scene becomes at most one node; todos, reminders and knowledge stay notes (`kept`).
create table notes (
    being_id uuid not null references beings on delete cascade,
    note_id uuid not null,
    -- The producer's id, which makes handing the note in idempotent.
    producer_id text,
    type text not null check (type in ('scene', 'todo', 'reminder', 'knowledge')),
    content jsonb not null,
    title text,
    due_at timestamptz,
    metadata jsonb not null default '{}',
    content_hash bytea not null,
    -- The note came with many others: notes that came alone are patrolled first.
    bulk boolean not null default false,
    state text not null check (state in ('kept', 'pending', 'stamped', 'remembered', 'parse_failed', 'embed_failed')),
    -- Why the note is marked [PARSE_FAILED] or [EMBED_FAILED], in words that quote none of its content.
    reason text,
    -- A model was asked, once, to repair a scene that does not parse. False while no model has been available.
    repair_requested boolean not null default false,
    -- The patrol run that stamped the note.
    run_id uuid,
    -- The provider key that came with the request that handed the note in; null: none did. It alone may pay for model
    -- calls about the note, and never changes (sql/functions/25_calls.sql).
    request_key_id uuid,
    received_at timestamptz not null default memory.now(),
    -- When a todo, reminder or knowledge note was marked as read.
    read_at timestamptz,
    primary key (being_id, note_id),
    check ((type = 'scene') = (state <> 'kept')),
    check ((state in ('parse_failed', 'embed_failed')) = (reason is not null)),
    check (read_at is null or type <> 'scene')
);
create unique index notes_once on notes (being_id, producer_id) where producer_id is not null;
create index notes_pending on notes (being_id, bulk, note_id) where state = 'pending';
create index notes_of_run on notes (being_id, run_id) where state = 'stamped';
create index notes_to_repair on notes (being_id, note_id) where state = 'parse_failed' and not repair_requested;
create index notes_unread on notes (being_id, note_id) where type in ('todo', 'reminder') and read_at is null;
create index notes_knowledge on notes (being_id, note_id) where type = 'knowledge';
create index notes_kept on notes (being_id) where state = 'kept';
