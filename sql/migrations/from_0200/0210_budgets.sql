-- A budget for the platform and for each user beside the Being's.

-- The user's own limits of a day; null: those of the settings.
alter table users
    add column daily_cost numeric check (daily_cost >= 0),
    add column daily_tokens bigint check (daily_tokens >= 0);

-- The day in UTC on which the call counts against the platform's budget; null for calls from before there was one.
alter table model_calls add column utc_day date;

-- What the calls of one day have used and cost: a user's, or (user_id is null) the platform's, which are those of all users
-- that its keys pay for. Rows of calls go with an erased Being, and these sums stay. The sum of a day is that of its shards;
-- a shard may be negative, because a call may be settled in another one than it was reserved in.
create table spending (
    user_id uuid references users on delete cascade,
    owner_id uuid not null generated always as (coalesce(user_id, '00000000-0000-0000-0000-000000000000')) stored,
    -- Of a user: in the user's time zone; of the platform: in UTC.
    day date not null,
    shard smallint not null,
    tokens numeric not null,
    cost numeric not null,
    primary key (owner_id, day, shard)
);
create index spending_of_user on spending (user_id);
create index spending_by_day on spending (day);

insert into spending (user_id, day, shard, tokens, cost)
select user_id, day, 0, sum(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens), coalesce(sum(cost), 0)
from model_calls
where purpose <> 'chat' or paid_with = 'platform'
group by user_id, day;
insert into spending (user_id, day, shard, tokens, cost)
select null, day, 0, sum(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens), coalesce(sum(cost), 0)
from model_calls
where paid_with = 'platform'
group by day;

-- Which budget was reached: the Being's (or that of a user's work across Beings), the user's, that of the user's chat
-- completions on the platform's key, or the platform's, whose rows belong to no user.
alter table budgets_reached drop constraint budgets_reached_pkey;
alter table budgets_reached drop column owner_id;
alter table budgets_reached alter column user_id drop not null;
alter table budgets_reached
    add column budget text not null default 'being' check (budget in ('being', 'user', 'proxy', 'platform')),
    add column owner_id uuid not null generated always as
        (coalesce(being_id, user_id, '00000000-0000-0000-0000-000000000000')) stored,
    add primary key (owner_id, budget, day);

-- One row is one day on which the calls that a budget bounds came to the share of it at which the log warns.
create table budget_warnings (
    user_id uuid references users on delete cascade,
    being_id uuid references beings on delete cascade,
    owner_id uuid not null generated always as
        (coalesce(being_id, user_id, '00000000-0000-0000-0000-000000000000')) stored,
    budget text not null check (budget in ('being', 'user', 'proxy', 'platform')),
    day date not null,
    warned_at timestamptz not null default clock_timestamp(),
    primary key (owner_id, budget, day)
);
create index budget_warnings_of_user on budget_warnings (user_id);
create index budget_warnings_of_being on budget_warnings (being_id);
create index budget_warnings_by_age on budget_warnings (warned_at);
