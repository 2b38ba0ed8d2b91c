-- Language models: the keys that pay, the calls and their cost, the stored responses and the provider batches.
--
-- Rows of a Being's work have its being_id; rows of work that spans a user's Beings have none. owner_id is whichever of
-- the two owns the row.

-- One row is one API key of a user, sealed with the platform's secret and bound to the user: it opens for no other row.
create table provider_keys (
    user_id uuid not null references users on delete cascade,
    key_id uuid not null default uuidv7(),
    provider text not null check (provider in ('anthropic', 'openai')),
    sealed bytea not null,
    -- A keyed digest: the same key of the same user has the same fingerprint.
    fingerprint bytea not null,
    last_four text not null,
    created_at timestamptz not null default clock_timestamp(),
    -- When a key that came with a request is deleted; null: the user stored the key.
    expires_at timestamptz,
    last_used_at timestamptz,
    -- Since when and why the provider rejects the key.
    refused_at timestamptz,
    refusal text,
    primary key (user_id, key_id),
    check ((refused_at is null) = (refusal is null))
);
create unique index provider_keys_once on provider_keys (user_id, provider, fingerprint);
create index provider_keys_expiring on provider_keys (expires_at) where expires_at is not null;

-- One row is one model call, inserted before the request is sent. Until it is settled its outcome is unknown and its
-- numbers are upper bounds; a call whose process died in between keeps them.
create table model_calls (
    user_id uuid not null references users on delete cascade,
    being_id uuid references beings on delete cascade,
    owner_id uuid not null generated always as (coalesce(being_id, user_id)) stored,
    call_id uuid not null default uuidv7(),
    -- The work that made the call; null for a call made while answering a request.
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
    -- In the currency of the price table; null where the model's price is unknown.
    cost numeric,
    -- The day, in the user's time zone and on the domain's clock, whose budget the call counts against.
    day date not null,
    started_at timestamptz not null default clock_timestamp(),
    settled_at timestamptz,
    primary key (owner_id, call_id),
    check ((outcome = 'unknown') = (settled_at is null))
);
create index model_calls_by_day on model_calls (owner_id, day);
create index model_calls_of_user on model_calls (user_id, day);
create index model_calls_by_age on model_calls (started_at);

-- One row is one model response, stored before it is applied: the same prompt of the same work is never paid for twice.
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
    completion text not null,
    -- Why the completion is unusable, in words that quote none of it; null where it is valid.
    defect text,
    -- A node's lineage refers to the response: retention leaves it alone.
    retained boolean not null default false,
    created_at timestamptz not null default clock_timestamp(),
    primary key (owner_id, response_id),
    unique (owner_id, kind, key, prompt_hash)
);
create index model_responses_by_age on model_responses (created_at) where not retained;

-- One row is one batch of prompts that a provider answers asynchronously, at most one for a unit of work.
create table provider_batches (
    user_id uuid not null references users on delete cascade,
    being_id uuid references beings on delete cascade,
    owner_id uuid not null generated always as (coalesce(being_id, user_id)) stored,
    kind text not null,
    key text not null,
    -- The provider key that sent the batch and must collect it; null: the platform's.
    key_id uuid,
    -- The provider's id of the batch; null from just before it is sent until the provider has confirmed it.
    provider_batch_id text,
    -- {prompt's name in the batch: id of its row in model_calls}
    call_ids jsonb not null,
    created_at timestamptz not null default clock_timestamp(),
    -- When the batch was collected or given up: prompts without an answer by then are sent one by one.
    ended_at timestamptz,
    primary key (owner_id, kind, key)
);
create index provider_batches_by_age on provider_batches (created_at);

-- One row is one day on which an owner's models reached the day's budget.
create table budgets_reached (
    user_id uuid not null references users on delete cascade,
    being_id uuid references beings on delete cascade,
    owner_id uuid not null generated always as (coalesce(being_id, user_id)) stored,
    -- The day in the user's time zone, on the domain's clock.
    day date not null,
    -- The budget that was reached; `price`: a budget in money met a model whose price is unknown.
    lacking text not null check (lacking in ('tokens', 'cost', 'price')),
    reached_at timestamptz not null default clock_timestamp(),
    primary key (owner_id, day)
);
create index budgets_reached_by_user on budgets_reached (user_id);
create index budgets_reached_by_being on budgets_reached (being_id);
create index budgets_reached_by_day on budgets_reached (day);
create index budgets_reached_by_age on budgets_reached (reached_at);
