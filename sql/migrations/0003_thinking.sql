-- What thinking adds: a Being's soul, its diary, and the marks of what a model has yet to look at; and what it takes: whose
-- key pays, what a day may cost, what models said, and what it did cost.

-- Who a Being is. Its person writes all of it but think_md, which patrols write for the next conversation.
create table souls (
    being_id uuid primary key references beings on delete cascade,
    -- What the one it talks to is to it: think_md is about being with that one.
    partner_type text not null default 'user' check (partner_type <> ''),
    personality text not null default '',
    voice text not null default '',
    "values" text not null default '',
    backstory text not null default '',
    inner_world text not null default '',
    examples text not null default '',
    think_md text not null default '',
    thought_at timestamptz,
    updated_at timestamptz not null default memory.now()
);

-- One entry for each day of the user's calendar that had something to tell.
create table diary (
    being_id uuid not null references beings on delete cascade,
    day date not null,
    text text not null check (text <> ''),
    run_id uuid not null,
    -- The newest memory that was told of when it was written: the next entry begins after it.
    told_to uuid not null,
    written_at timestamptz not null default memory.now(),
    primary key (being_id, day)
);

-- What consolidation has yet to look at, oldest first.
create index memory_nodes_marked on memory_nodes (being_id, created_at, node_id)
    where (fresh and status <> 'dead') or status = 'dying';

-- What a Being's models may use in one of its user's days; null: what the platform's settings say.
alter table beings
    add column daily_cost numeric check (daily_cost >= 0),
    add column daily_tokens bigint check (daily_tokens >= 0);

-- Keys of users, sealed: nothing here opens without the platform's secret, and no row opens for another user.
create table provider_keys (
    user_id uuid not null references users on delete cascade,
    key_id uuid not null default uuidv7(),
    provider text not null check (provider in ('anthropic', 'openai')),
    sealed bytea not null,
    -- The same key of the same user gives the same fingerprint, which tells nothing without the platform's secret.
    fingerprint bytea not null,
    last_four text not null,
    created_at timestamptz not null default clock_timestamp(),
    -- When a key that came with a request is forgotten; null: it was stored to stay.
    expires_at timestamptz,
    last_used_at timestamptz,
    -- Why the provider would not take it, and since when.
    refused_at timestamptz,
    refusal text,
    primary key (user_id, key_id),
    check ((refused_at is null) = (refusal is null))
);
create unique index provider_keys_once on provider_keys (user_id, provider, fingerprint);
create index provider_keys_expiring on provider_keys (expires_at) where expires_at is not null;

-- The key, if one came with the request, that pays for this work and for what it causes.
alter table work add column paid_by uuid;
alter table patrol_runs add column paid_by uuid;

-- Every call of a model, from the moment before it is sent. Until it is settled its outcome is unknown and its numbers
-- are the most that it can come to; those of a process that died in between stay so.
create table model_calls (
    user_id uuid not null references users on delete cascade,
    being_id uuid references beings on delete cascade,
    owner_id uuid not null generated always as (coalesce(being_id, user_id)) stored,
    call_id uuid not null default uuidv7(),
    -- The work that asked; null where a door did.
    kind text,
    key text,
    purpose text not null,
    provider text not null,
    model text not null,
    paid_with text not null check (paid_with in ('request', 'user', 'platform')),
    batch boolean not null default false,
    outcome text not null default 'unknown' check (outcome in ('unknown', 'answered', 'bad', 'failed')),
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    cache_read_tokens bigint not null default 0,
    cache_write_tokens bigint not null default 0,
    -- In the currency of the prices; null where the model's price is unknown.
    cost numeric,
    -- The day in the user's time zone, on the domain's clock: what a budget is for.
    day date not null,
    began_at timestamptz not null default clock_timestamp(),
    settled_at timestamptz,
    primary key (owner_id, call_id),
    check ((outcome = 'unknown') = (settled_at is null))
);
create index model_calls_by_day on model_calls (owner_id, day);
create index model_calls_of_user on model_calls (user_id, day);
create index model_calls_by_age on model_calls (began_at);

-- What models said, kept before anything is made of it, so that no question is paid for twice.
create table model_responses (
    user_id uuid not null references users on delete cascade,
    being_id uuid references beings on delete cascade,
    owner_id uuid not null generated always as (coalesce(being_id, user_id)) stored,
    response_id uuid not null default uuidv7(),
    kind text not null,
    key text not null,
    prompt_hash bytea not null,
    purpose text not null,
    model text not null,
    said text not null,
    -- Why the answer can't be used, in words without its content; null where it could be read.
    fault text,
    -- A memory's lineage leads here: it stays as long as its owner.
    kept boolean not null default false,
    created_at timestamptz not null default clock_timestamp(),
    primary key (owner_id, response_id),
    unique (owner_id, kind, key, prompt_hash)
);
create index model_responses_by_age on model_responses (created_at) where not kept;

-- Questions that a provider answers in its own time, at most one lot for a unit of work.
create table batches (
    user_id uuid not null references users on delete cascade,
    being_id uuid references beings on delete cascade,
    owner_id uuid not null generated always as (coalesce(being_id, user_id)) stored,
    kind text not null,
    key text not null,
    -- Which key it was sent with, and has to be collected with; null: the platform's.
    key_id uuid,
    -- The provider's name for it; null from just before it is sent until it is known to have arrived.
    batch_id text,
    -- By the name of each question in the lot, the call that is accounted for it.
    calls jsonb not null,
    created_at timestamptz not null default clock_timestamp(),
    -- Collected or given up: what has no answer by then is asked directly.
    over_at timestamptz,
    primary key (owner_id, kind, key)
);
create index batches_by_age on batches (created_at);
