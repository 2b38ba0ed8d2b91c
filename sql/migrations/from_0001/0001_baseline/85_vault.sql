-- The vault: durable statements in versions that are only ever added (sql/functions/100_vault.sql).

-- One row is one version of one record. No statement changes it; a tombstone ends the record and holds no text.
create table vault_records (
    user_id uuid not null references users on delete cascade,
    id text not null check (id ~ '^[0-9a-f]{12}$'),
    version integer not null check (version >= 1),
    -- The Being in whose scope the record is; null: the user's scope, `shared`.
    being_id uuid,
    -- The order of insertion, which is the order of an export.
    sequence bigint not null generated always as identity,
    text text not null,
    category text not null,
    tier text not null check (tier in ('canon', 'register')),
    topic_id text,
    tags text[] not null default '{}',
    source text check (source in ('chat', 'manual', 'tool', 'operator', 'promotion')),
    created_at timestamptz not null,
    updated_at timestamptz,
    deleted_at timestamptz,
    primary key (user_id, id, version),
    foreign key (user_id, being_id) references beings (user_id, being_id) on delete cascade,
    constraint vault_records_text_check check ((text = '') = (deleted_at is not null))
);
create index vault_records_in_order on vault_records (user_id, sequence);
create index vault_records_of_scope on vault_records (user_id, being_id);

-- One row is the newest version of one record, maintained by trigger: a read costs what is live, not what was ever
-- written.
create table vault_heads (
    user_id uuid not null,
    id text not null,
    version integer not null,
    being_id uuid,
    topic_id text,
    live boolean not null,
    primary key (user_id, id),
    foreign key (user_id, id, version) references vault_records on delete cascade
);
create index vault_heads_live on vault_heads (user_id, being_id) where live;
-- A scope has one live record for each topic.
create unique index vault_heads_topics on vault_heads (user_id, being_id, topic_id) nulls not distinct
    where live and topic_id is not null;

-- One row is one addition that came with a producer's id, and the record that it became: repeating it changes nothing.
create table vault_idempotency (
    being_id uuid not null references beings on delete cascade,
    producer_id text not null,
    content_hash bytea not null,
    record_id text not null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (being_id, producer_id)
);
create index vault_idempotency_by_age on vault_idempotency (created_at);

-- One row is how one Being uses its vault; a Being without a row follows the settings.
create table vault_profiles (
    being_id uuid primary key references beings on delete cascade,
    enabled boolean not null,
    -- Which of `shared` and the Being's own scope go into prompts; null: both.
    scopes text[],
    max_items integer not null check (max_items > 0),
    similarity_threshold double precision not null check (similarity_threshold between 0 and 1)
);
