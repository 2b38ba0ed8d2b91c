-- Users made over HTTP, the scope of their facts, keys that end with their token, and totals of model calls.

alter table users
    -- The id by which the application that made the user knows the person; null: made on the command line.
    add column external_id text unique check (external_id <> ''),
    -- Who knows facts that were not told in confidence: all of the user's Beings, or the Being that heard them alone;
    -- null: as the setting PATROL_FACTS_SCOPE says.
    add column facts_scope text check (facts_scope in ('user', 'being')),
    -- An application's users may have the same name; on the command line a name finds one user.
    drop constraint users_name_key;
create unique index users_by_name on users (name) where external_id is null;
create index users_of_applications_by_name on users (name) where external_id is not null;

alter table provider_keys
    -- The token of the request that the key came with last: the key is deleted when the token is revoked. Null for a
    -- stored key.
    add column token_id uuid,
    add foreign key (user_id, token_id) references api_tokens on delete cascade;
create index provider_keys_of_token on provider_keys (user_id, token_id) where token_id is not null;

-- Settled model calls since the table was made, for counters: model_calls itself is cleared by age. Rows are split by
-- shard, so that calls that settle at the same time seldom update the same row.
create table model_call_totals (
    purpose text not null,
    model text not null,
    outcome text not null,
    paid_with text not null,
    shard integer not null,
    calls bigint not null default 0,
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    cache_read_tokens bigint not null default 0,
    cache_write_tokens bigint not null default 0,
    -- Without calls whose price is unknown.
    cost numeric not null default 0,
    primary key (purpose, model, outcome, paid_with, shard)
);
insert into model_call_totals
select purpose, model, outcome, paid_with, 0, count(*), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
    sum(cache_write_tokens), coalesce(sum(cost), 0)
from model_calls
where settled_at is not null
group by purpose, model, outcome, paid_with;
