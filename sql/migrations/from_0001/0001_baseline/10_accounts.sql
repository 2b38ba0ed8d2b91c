-- Users (the tenants), their Beings, and the tokens that authenticate requests.
--
-- Every table of the schema leads its primary key with being_id, or with user_id or owner_id where the row is a user's,
-- so that the tables can be sharded by owner. The exceptions hold nothing of an owner: clock, operator_tokens,
-- heartbeats and the migrator's own table.

-- The domain's clock: real time plus an offset that tests and the demo move. Leases, token lifetimes and key lifetimes
-- follow clock_timestamp() and never read it.
create table clock (
    only_row boolean primary key default true check (only_row),
    shift interval not null default interval '0'
);
insert into clock default values;

-- The domain's time at the start of the transaction. Defined here, and not with the other functions, because column
-- defaults call it.
create function now() returns timestamptz language sql stable
return (select pg_catalog.now() + shift from memory.clock);

-- One row is one person, the tenant that owns Beings.
create table users (
    user_id uuid primary key default uuidv7(),
    name text not null unique check (name <> ''),
    time_zone text not null default 'UTC',
    created_at timestamptz not null default memory.now()
);

-- One row is one AI companion of one user: the unit of isolation.
create table beings (
    being_id uuid primary key default uuidv7(),
    user_id uuid not null references users on delete cascade,
    -- The vault calls the scope that all Beings of a user share `shared`, so that no Being has this slug.
    slug text not null
        check (slug ~ '^[a-z0-9][a-z0-9_-]{0,62}$')
        constraint beings_are_not_shared check (slug <> 'shared'),
    name text not null check (name <> ''),
    -- The model whose vectors serve recall; null until the first vector exists.
    embedding_model text,
    -- The Being's age in ticks: a patrol that counts raises it by one. A node's session count is its distance from
    -- here.
    patrol_counter bigint not null default 0,
    -- When patrol_counter was raised last.
    ticked_at timestamptz,
    -- What the Being's models may use in one of its user's days; null: the limits of the settings.
    daily_cost numeric check (daily_cost >= 0),
    daily_tokens bigint check (daily_tokens >= 0),
    created_at timestamptz not null default memory.now(),
    unique (user_id, slug),
    -- The target of foreign keys that also check whose the Being is.
    constraint beings_of_users unique (user_id, being_id)
);
create index beings_by_tick on beings (ticked_at) where embedding_model is not null;

-- One row is one access token of a user, for all of the user's Beings or for one. Only the token's hash is stored.
create table api_tokens (
    user_id uuid not null references users on delete cascade,
    token_id uuid not null default uuidv7(),
    being_id uuid references beings on delete cascade,
    hash bytea not null unique,
    scopes text[] not null check (scopes <@ array['ingest', 'read', 'manage'] and cardinality(scopes) > 0),
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    primary key (user_id, token_id)
);

-- One row is one token of an operator: it opens metrics and the dead work of all users, and no user's data. Operator
-- tokens are created on the command line only.
create table operator_tokens (
    token_id uuid primary key default uuidv7(),
    hash bytea not null unique,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
);
