-- The vault: durable statements, each in versions that are only ever added to.

-- `shared` is what the vault calls the scope of a user's own; a record's Being is its user's.
alter table beings
    add constraint beings_are_not_shared check (slug <> 'shared'),
    add constraint beings_of_users unique (user_id, being_id);

create table vault_records (
    user_id uuid not null references users on delete cascade,
    id text not null check (id ~ '^[0-9a-f]{12}$'),
    version integer not null check (version >= 1),
    -- In whose scope; null: the user's own, `shared`.
    being_id uuid,
    -- The order in which they came in, which is the order of an export.
    line bigint not null generated always as identity,
    text text not null check (text <> ''),
    category text not null,
    tier text not null check (tier in ('canon', 'register')),
    topic_id text,
    tags text[] not null default '{}',
    source text check (source in ('chat', 'manual', 'tool', 'operator', 'promotion')),
    created_at timestamptz not null,
    updated_at timestamptz,
    deleted_at timestamptz,
    primary key (user_id, id, version),
    foreign key (user_id, being_id) references beings (user_id, being_id) on delete cascade
);
create index vault_records_in_order on vault_records (user_id, line);

-- The newest version of each id, kept by trigger, so that a read costs what is live and not what was ever written.
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
-- One live record a topic, whoever writes.
create unique index vault_heads_topics on vault_heads (user_id, being_id, topic_id) nulls not distinct
    where live and topic_id is not null;

-- What became of an addition that came with a key of its sender's, so that a repetition changes nothing.
create table vault_receipts (
    being_id uuid not null references beings on delete cascade,
    producer_id text not null,
    content_hash bytea not null,
    id text not null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (being_id, producer_id)
);
create index vault_receipts_by_age on vault_receipts (created_at);

-- How a Being uses its vault; one without a row uses it as the settings say.
create table vault_profiles (
    being_id uuid primary key references beings on delete cascade,
    enabled boolean not null,
    -- Which of `shared` and its own go into prompts; null: both.
    scopes text[],
    max_items integer not null check (max_items > 0),
    similarity_threshold double precision not null check (similarity_threshold between 0 and 1)
);
