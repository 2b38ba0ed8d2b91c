-- Calls of models, reserved before they are sent and settled after.
--
-- INVARIANT  Four budgets bound the calls of a day (25_calls/10_budgets.sql). The cost of the calls under a budget, with those
--            that are under way at the most that they can cost, never exceeds it: a reservation sees all earlier ones under it.
-- INVARIANT  A key that came with a request pays for a call only where every input of the call came with that very key. The
--            key stands on the input (messages.request_key_id, notes.request_key_id), is set in the transaction that takes the
--            input in, and never changes; no work, run or session carries a key. So an input that waits already, or that
--            another request brings, can't be paid for by it.

-- The user and the Being of an owner of calls, which is a Being, or a user across Beings. Raises if it is gone.
create or replace function owner_of(p_owner_id uuid) returns table (user_id uuid, being_id uuid) language plpgsql stable rows 1 as $$
#variable_conflict use_column
begin
    return query
    select user_id, being_id from memory.beings where being_id = p_owner_id
    union all
    select user_id, null from memory.users where user_id = p_owner_id;
    if not found then
        raise exception using errcode = 'MP002', message = format('There is neither a Being nor a user %s.', p_owner_id);
    end if;
end $$;

-- Whether the key that an input of a Being came with has not expired, so that the input need not wait for another.
create or replace function key_lives(p_being_id uuid, p_key_id uuid) returns boolean language sql stable
return p_key_id is not null and exists (
    select from memory.provider_keys join memory.beings using (user_id)
    where being_id = p_being_id and key_id = p_key_id and (expires_at is null or expires_at > clock_timestamp())
);

-- The key that all words of a memory came with; null where they came with several or none, or a person reworded them.
-- Most memories came with no key: their own note shows that, and the memories that they absorbed are not read.
create or replace function brought_with(p_being_id uuid, p_node_id uuid) returns uuid language sql stable as $$
    select case
        when o.request_key_id is not null and not exists (
            with recursive taken_in (node_id, note_id) as (
                select n.node_id, n.note_id
                union
                select a.node_id, a.note_id
                from taken_in join memory.memory_nodes as a on a.being_id = p_being_id and a.absorbed_into = taken_in.node_id
            )
            select from taken_in
            where exists (
                    select from memory.notes as t
                    where t.being_id = p_being_id and t.note_id = taken_in.note_id
                        and t.request_key_id is distinct from o.request_key_id
                ) or exists (
                    select from memory.node_history as h
                    where h.being_id = p_being_id and h.node_id = taken_in.node_id
                        and h.event = 'reworded' and h.run_id is null
                )
        )
        then o.request_key_id
    end
    from memory.memory_nodes as n join memory.notes as o on o.being_id = p_being_id and o.note_id = n.note_id
    where n.being_id = p_being_id and n.node_id = p_node_id;
$$;

-- Lets no answer be stored that may be about rows which this transaction withdraws. A call that is under way is marked, and its
-- answer is not stored. A call that is reserved later, by work that was claimed before, waits for this transaction and is
-- refused. An answer that is stored already is visible to the deletions of this transaction after this.
create or replace function refuse_answers(p_user_id uuid) returns void language plpgsql as $$
begin
    update memory.users set withdrawals = withdrawals + 1 where user_id = p_user_id;
    update memory.model_calls set answer_unwanted = true where user_id = p_user_id and outcome = 'unknown';
end $$;

-- When the calendar day of a moment ends in a time zone. A day with a clock change has 23 or 25 hours; where the clock goes
-- back at midnight, there are two moments with the next day's first hour, and the day ends at the earlier.
create or replace function day_end(p_at timestamptz, p_time_zone text) returns timestamptz language sql stable
return (
    select min(candidate)
    from (select ((p_at at time zone p_time_zone)::date + 1)::timestamp as midnight) as next_day,
    lateral (select midnight at time zone p_time_zone as latest) as found,
    lateral (values (latest), (latest - interval '1 hour')) as candidates (candidate)
    where candidate at time zone p_time_zone >= midnight
);

-- Reserves a call under each of the budgets that bound it, or under none if one of them has too little left. Returns its id,
-- or else that budget, why the call does not fit (too few `tokens`, too little `cost`, an unknown `price`), and how long the
-- budget's day still lasts; and the budgets whose warning is due. p_limits as in 25_calls/10_budgets.sql; null: the call was
-- made, and is counted without being refused. Raises if the owner is gone, or if a row of the user's was withdrawn after the work
-- was claimed, when p_withdrawals was the number of withdrawals.
create or replace function reserve_call(
    p_owner_id uuid, p_kind text, p_key text, p_purpose text, p_provider text, p_model text, p_metric_model text,
    p_paid_with text, p_batch boolean, p_input_tokens bigint, p_output_tokens bigint, p_cost numeric,
    p_limits jsonb, p_withdrawals bigint
) returns table (call_id uuid, budget text, lacking text, day_left interval, warned text[]) language plpgsql as $$
#variable_conflict use_column
declare
    v_now constant timestamptz := memory.now();
    v_utc_day constant date := (v_now at time zone 'UTC')::date;
    v_tokens constant bigint := p_input_tokens + p_output_tokens;
    v_user memory.users;
    v_being memory.beings;
    v_bound record;
    v_checked record;
    v_near text[] := '{}';
    v_day date;
begin
    select * into v_being from memory.beings where being_id = p_owner_id;
    -- Before the locks of the budgets, so that the reservations of others do not wait while this user is being erased.
    if p_withdrawals is null then
        select * into v_user from memory.users where user_id = coalesce(v_being.user_id, p_owner_id) for key share;
    else
        select * into v_user from memory.users where user_id = coalesce(v_being.user_id, p_owner_id) for share;
    end if;
    if not found then
        perform memory.owner_of(p_owner_id);
    end if;
    if v_user.withdrawals <> p_withdrawals then
        raise exception using errcode = 'MP004',
            message = 'Something that the model was to be asked about was withdrawn meanwhile.';
    end if;
    v_day := (v_now at time zone v_user.time_zone)::date;

    -- Their locks are taken in this order, which is that of the list.
    for v_bound in
        select b.budget, b.owner_id, b.day, b.user_id, b.being_id, b.most_tokens, b.most_cost
        from memory.budgets_of_call(v_user, v_being, p_purpose, p_paid_with, v_day, v_utc_day, p_limits) as b
        order by b.place
    loop
        v_checked := memory.check_budget(
            v_bound.budget, v_bound.owner_id, v_bound.day, v_bound.most_tokens, v_bound.most_cost, v_tokens, p_cost
        );
        if v_checked.is_near then
            v_near := v_near || v_bound.budget;
        end if;
        if v_checked.lacking is not null then
            lacking := v_checked.lacking;
            budget := v_bound.budget;
            day_left := memory.day_end(v_now, case budget when 'platform' then 'UTC' else v_user.time_zone end) - v_now;
            return next;
            return;
        end if;
    end loop;

    insert into memory.model_calls (
        user_id, being_id, kind, key, purpose, provider, model, metric_model, paid_with, batch, input_tokens, output_tokens,
        cost, day, utc_day
    )
    values (
        v_user.user_id, v_being.being_id, p_kind, p_key, p_purpose, p_provider, p_model, p_metric_model, p_paid_with, p_batch,
        p_input_tokens, p_output_tokens, p_cost, v_day, v_utc_day
    )
    returning model_calls.call_id into call_id;
    perform memory.add_spending(
        array[v_user.user_id], array[v_day], array[v_utc_day], array[p_purpose], array[p_paid_with], array[v_tokens::numeric],
        array[coalesce(p_cost, 0)]
    );

    if cardinality(v_near) > 0 then
        with due as (
            insert into memory.budget_warnings (user_id, being_id, budget, day)
            select b.user_id, b.being_id, b.budget, b.day
            from memory.budgets_of_call(v_user, v_being, p_purpose, p_paid_with, v_day, v_utc_day, p_limits) as b
            where b.budget = any (v_near)
            on conflict do nothing
            returning budget_warnings.budget as name
        )
        select array_agg(name) into warned from due;
    end if;
    return next;
end $$;

-- Records the end, usage and cost of a call, once; the reservation stays as its cost if p_input_tokens is null.
-- Returns whether the answer may be stored: no row that it may be about was withdrawn meanwhile.
create or replace function settle_call(
    p_owner_id uuid, p_call_id uuid, p_outcome text, p_model text, p_input_tokens bigint, p_output_tokens bigint,
    p_cache_read_tokens bigint, p_cache_write_tokens bigint, p_cost numeric
) returns boolean language plpgsql as $$
declare
    v_unwanted boolean;
begin
    perform memory.hold_owner(p_owner_id);
    update memory.model_calls
    set outcome = p_outcome,
        model = coalesce(p_model, model),
        input_tokens = coalesce(p_input_tokens, input_tokens),
        output_tokens = coalesce(p_output_tokens, output_tokens),
        cache_read_tokens = coalesce(p_cache_read_tokens, cache_read_tokens),
        cache_write_tokens = coalesce(p_cache_write_tokens, cache_write_tokens),
        cost = case when p_input_tokens is null then cost else p_cost end,
        settled_at = clock_timestamp()
    where owner_id = p_owner_id and call_id = p_call_id and outcome = 'unknown'
    returning answer_unwanted into v_unwanted;
    return v_unwanted is not true;
end $$;

-- For processes of 0.2.0 beside newer ones, which call settle_call.
-- Records that embedding requests were answered, each once, and their usage and cost. The commit does not wait for the
-- disk: a crash of the server within a second may leave them as they were reserved.
create or replace function settle_embeddings(
    p_owner_ids uuid[], p_call_ids uuid[], p_input_tokens bigint[], p_costs numeric[]
) returns void language plpgsql as $$
begin
    set local synchronous_commit = off;
    -- As hold_owner, in one order for all that hold several.
    perform from memory.users as u
    where u.user_id in (
        select c.user_id
        from unnest(p_owner_ids, p_call_ids) as answered (owner_id, call_id)
        join memory.model_calls as c using (owner_id, call_id)
    )
    order by u.user_id
    for key share;
    update memory.model_calls as c
    set outcome = 'answered', input_tokens = answered.input_tokens, cost = answered.cost, settled_at = clock_timestamp()
    from unnest(p_owner_ids, p_call_ids, p_input_tokens, p_costs) as answered (owner_id, call_id, input_tokens, cost)
    where c.owner_id = answered.owner_id and c.call_id = answered.call_id and c.outcome = 'unknown';
end $$;

-- Whether a model is available to a user, as far as rows show without decrypting a key: the key that the user stored last,
-- unless its provider rejected it less than p_refusal_holds ago; without a stored key, the platform's (p_platform).
create or replace function may_think(p_user_id uuid, p_platform boolean, p_refusal_holds interval) returns boolean
language sql stable as $$
    select coalesce((
        select refused_at is null or refused_at <= clock_timestamp() - p_refusal_holds
        from memory.provider_keys
        where user_id = p_user_id and expires_at is null
        order by created_at desc
        limit 1
    ), p_platform);
$$;

-- Whether a model answers a user now: one is available, and the provider is not away with the key that would pay.
create or replace function thinks_now(p_user_id uuid, p_platform boolean, p_refusal_holds interval) returns boolean
language sql stable as $$
    select memory.may_think(p_user_id, p_platform, p_refusal_holds)
        and not exists (
            select
            from memory.provider_breakers
            where probe_at > memory.now()
                and key_id = coalesce((
                    select k.key_id
                    from memory.provider_keys as k
                    where k.user_id = p_user_id and k.expires_at is null
                    order by k.created_at desc
                    limit 1
                ), '00000000-0000-0000-0000-000000000000')
        );
$$;

-- Adds settled calls to model_call_totals, which counts them for as long as the system lives, and the difference to their
-- reservations to the spending of their days.
--
-- INVARIANT  Every call is added once, in the transaction that settles it.
-- INVARIANT  A name that a user typed is in model_calls alone, and is deleted with the user: totals have metric_model instead.
create or replace function count_settled_calls() returns trigger language plpgsql as $$
begin
    perform memory.add_spending(
        array_agg(n.user_id), array_agg(n.day), array_agg(n.utc_day), array_agg(n.purpose), array_agg(n.paid_with),
        array_agg((
            n.input_tokens + n.output_tokens + n.cache_read_tokens + n.cache_write_tokens
            - o.input_tokens - o.output_tokens - o.cache_read_tokens - o.cache_write_tokens
        )::numeric),
        array_agg(coalesce(n.cost, 0) - coalesce(o.cost, 0))
    )
    from new_calls as n
    join old_calls as o on o.owner_id = n.owner_id and o.call_id = n.call_id;
    insert into memory.model_call_totals as t
    select n.purpose, coalesce(n.metric_model, n.model) as model, n.outcome, n.paid_with, pg_backend_pid() % 16, count(*),
        sum(n.input_tokens), sum(n.output_tokens), sum(n.cache_read_tokens), sum(n.cache_write_tokens),
        coalesce(sum(n.cost), 0)
    from new_calls as n
    join old_calls as o on o.owner_id = n.owner_id and o.call_id = n.call_id
    where o.settled_at is null and n.settled_at is not null
    group by n.purpose, coalesce(n.metric_model, n.model), n.outcome, n.paid_with
    order by n.purpose, coalesce(n.metric_model, n.model), n.outcome, n.paid_with
    on conflict (purpose, model, outcome, paid_with, shard) do update
    set calls = t.calls + excluded.calls,
        input_tokens = t.input_tokens + excluded.input_tokens,
        output_tokens = t.output_tokens + excluded.output_tokens,
        cache_read_tokens = t.cache_read_tokens + excluded.cache_read_tokens,
        cache_write_tokens = t.cache_write_tokens + excluded.cache_write_tokens,
        cost = t.cost + excluded.cost;
    return null;
end $$;

create or replace trigger count_settled_calls after update on model_calls
    referencing old table as old_calls new table as new_calls
    for each statement execute function count_settled_calls();
