-- Budgets: the most that the calls of one day may cost, by their user or Being and by the payer.
--
--   platform   All users' calls that the platform's keys pay for; a day in UTC.
--   user       All calls of a user.
--   proxy      A user's chat completions that the platform's keys pay for.
--   being      All calls of a Being; those of a user across Beings are bounded by the same limit, apart.
--
-- A chat completion that the user's own key pays for counts against none: the memory does not ask for it. The days of all but
-- the platform are the user's. Limits come from the settings, as p_limits: {budget: {"tokens": …, "cost": …}}, null or a name
-- left out: unlimited; a user and a Being may have limits of their own instead.
--
-- LOCK ORDER   platform, user, proxy, being: the advisory lock of each budget that has a limit. No transaction that holds
--              one waits for anything but the next, the rows of its own call, and last the row of a breaker.

-- The budgets with a limit that bound a call, in the order of their locks.
create or replace function budgets_of_call(
    p_user users, p_being beings, p_purpose text, p_paid_with text, p_day date, p_utc_day date, p_limits jsonb
) returns table (
    place integer, budget text, owner_id uuid, user_id uuid, being_id uuid, day date, most_tokens numeric, most_cost numeric
) language sql immutable as $$
    with bounds (place, budget, user_id, being_id, day, bounds_it, own_tokens, own_cost) as (
        values
            (1, 'platform', null, null, p_utc_day, p_paid_with = 'platform', null, null),
            (
                2, 'user', p_user.user_id, null, p_day, p_purpose <> 'chat' or p_paid_with = 'platform',
                p_user.daily_tokens, p_user.daily_cost
            ),
            (3, 'proxy', p_user.user_id, null, p_day, p_purpose = 'chat' and p_paid_with = 'platform', null, null),
            (
                4, 'being', p_user.user_id, p_being.being_id, p_day, p_purpose <> 'chat' or p_paid_with = 'platform',
                p_being.daily_tokens, p_being.daily_cost
            )
    ),
    limited as (
        select *,
            coalesce(own_tokens, (p_limits -> b.budget ->> 'tokens')::numeric) as most_tokens,
            coalesce(own_cost, (p_limits -> b.budget ->> 'cost')::numeric) as most_cost
        from bounds as b
        where bounds_it and p_limits is not null
    )
    select place, budget, coalesce(being_id, user_id, '00000000-0000-0000-0000-000000000000'), user_id, being_id, day,
        most_tokens, most_cost
    from limited
    where most_tokens is not null or most_cost is not null
$$;

-- The usage and cost of a day's calls under one budget, with those under way as they were reserved.
create or replace function spent(p_budget text, p_owner_id uuid, p_day date, out tokens numeric, out cost numeric)
language plpgsql stable as $$
#variable_conflict use_column
declare
    v_spent record;
begin
    if p_budget in ('platform', 'user') then
        select coalesce(sum(s.tokens), 0) as tokens, coalesce(sum(s.cost), 0) as cost into v_spent
        from memory.spending as s
        where s.owner_id = p_owner_id and s.day = p_day;
    else
        select coalesce(sum(c.input_tokens + c.output_tokens + c.cache_read_tokens + c.cache_write_tokens), 0) as tokens,
            coalesce(sum(c.cost), 0) as cost
        into v_spent
        from memory.model_calls as c
        where c.day = p_day
            and case p_budget
                when 'being' then c.owner_id = p_owner_id and (c.purpose <> 'chat' or c.paid_with = 'platform')
                else c.user_id = p_owner_id and c.purpose = 'chat' and c.paid_with = 'platform'
            end;
    end if;
    tokens := v_spent.tokens;
    cost := v_spent.cost;
end $$;

-- Compares a call with the rest of a budget: why it does not fit (too few `tokens`, too little `cost`, an unknown `price`;
-- null if it fits), and whether the call brings the budget to 80 %. Until the transaction ends, no other reserves under
-- this budget.
create or replace function check_budget(
    p_budget text, p_owner_id uuid, p_day date, p_most_tokens numeric, p_most_cost numeric, p_tokens bigint, p_cost numeric,
    out lacking text, out is_near boolean
) language plpgsql as $$
declare
    v_spent record;
begin
    perform pg_advisory_xact_lock(hashtextextended(format('budget/%s/%s', p_budget, p_owner_id), 0));
    -- A statement of its own, so that its snapshot includes rows committed while it waited for the lock.
    select * into v_spent from memory.spent(p_budget, p_owner_id, p_day);
    lacking := case
        when v_spent.tokens + p_tokens > p_most_tokens then 'tokens'
        when p_most_cost is not null and p_cost is null then 'price'
        when v_spent.cost + p_cost > p_most_cost and p_cost > 0 then 'cost'
    end;
    is_near := coalesce(v_spent.tokens + p_tokens >= 0.8 * p_most_tokens, false)
        or coalesce(v_spent.cost + p_cost >= 0.8 * p_most_cost, false);
end $$;

-- Adds the usage and cost of calls to the spending of their users and of the platform.
--
-- LOCK ORDER   The rows of users, in their order, then the platform's, so that transactions which settle calls of several users
--              wait for each other in turn.
create or replace function add_spending(
    p_user_ids uuid[], p_days date[], p_utc_days date[], p_purposes text[], p_paid_with text[], p_tokens numeric[],
    p_costs numeric[]
) returns void language sql as $$
    insert into memory.spending as s (user_id, day, shard, tokens, cost)
    select counted.user_id, counted.day, pg_backend_pid() % 16, sum(tokens), sum(cost)
    from unnest(p_user_ids, p_days, p_utc_days, p_purposes, p_paid_with, p_tokens, p_costs)
            as c (user_id, day, utc_day, purpose, paid_with, tokens, cost),
        lateral (
            values
                (c.user_id, c.day, purpose <> 'chat' or paid_with = 'platform'),
                (null, coalesce(utc_day, c.day), paid_with = 'platform')
        ) as counted (user_id, day, counts)
    where counts
    group by counted.user_id, counted.day
    having sum(tokens) <> 0 or sum(cost) <> 0
    order by counted.user_id nulls last, counted.day
    on conflict (owner_id, day, shard) do update set tokens = s.tokens + excluded.tokens, cost = s.cost + excluded.cost;
$$;

-- The budgets of the current day that have a limit, with the spent part of each: of one user, or of all with calls since
-- yesterday; of one of the user's Beings, or of all; and the platform's.
create or replace function budgets_today(p_limits jsonb, p_user_id uuid, p_being_id uuid)
returns table (
    budget text, user_id uuid, being_id uuid, day date, most_tokens numeric, most_cost numeric, tokens numeric, cost numeric
) language sql stable as $$
    with today (utc_day) as (select (memory.now() at time zone 'UTC')::date),
    owners as (
        select u as of_user, owned.b as of_being, (memory.now() at time zone u.time_zone)::date as day
        from today, memory.users as u, lateral (
            select null::memory.beings as b
            where p_being_id is null
            union all
            select each
            from memory.beings as each
            where each.user_id = u.user_id
                and (p_being_id is null or each.being_id = p_being_id)
                and (
                    p_user_id is not null
                    or exists (select from memory.model_calls as c where c.owner_id = each.being_id and c.day >= utc_day - 1)
                )
        ) as owned
        where case
            when p_user_id is not null then u.user_id = p_user_id
            else u.user_id in (select s.user_id from memory.spending as s where s.day >= utc_day - 1)
        end
    ),
    bounding as (
        select distinct b.*
        from today, owners, (values ('chat'), ('')) as purposes (purpose), lateral memory.budgets_of_call(
            of_user, of_being, purpose, 'platform', owners.day, utc_day, p_limits - 'platform'
        ) as b
        union all
        select b.*
        from today, lateral memory.budgets_of_call(
            null, null, '', 'platform', null, utc_day, jsonb_build_object('platform', p_limits -> 'platform')
        ) as b
        where b.budget = 'platform'
    )
    select b.budget, b.user_id, b.being_id, b.day, b.most_tokens, b.most_cost, s.tokens, s.cost
    from bounding as b, lateral memory.spent(b.budget, b.owner_id, b.day) as s
    order by b.place, b.user_id, b.being_id nulls first
$$;
