-- A provider of language models that is away is asked again by one request at a time, and what patrols left undone
-- meanwhile is done when it is back.

-- One row is an open breaker: a provider that does not answer requests with one key, of a user or (the nil UUID) of the
-- platform. It is deleted when the provider answers again.
create table provider_breakers (
    provider text not null check (provider in ('anthropic', 'openai')),
    key_id uuid not null,
    since timestamptz not null default memory.now(),
    -- From when on one request may try again; the request that does moves it on.
    probe_at timestamptz not null,
    -- How long the next request waits if that one fails.
    wait interval not null,
    reason text not null,
    primary key (key_id, provider)
);

-- One row is a Being whose patrol skipped a step because a provider was away, and the last run that did.
create table owed_thinking (
    being_id uuid primary key references beings on delete cascade,
    run_id uuid not null
);
