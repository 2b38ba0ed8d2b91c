-- Calls of models, reserved before they are sent and settled after.
--
-- INVARIANT  What an owner's calls of one day have cost, with those that are under way at the most that they can cost,
--            never exceeds the budget of that day: whoever reserves sees what all others have reserved.

-- Reserves a call for an owner's current day. Returns its id, or else what there is too little of (`tokens`, `cost`, or
-- a `price` by which to tell), and in any case how long the day still lasts.
create or replace function reserve_call(
    p_user_id uuid, p_being_id uuid, p_kind text, p_key text, p_purpose text, p_provider text, p_model text,
    p_paid_with text, p_batch boolean, p_input_tokens bigint, p_output_tokens bigint, p_cost numeric,
    p_daily_tokens bigint, p_daily_cost numeric
) returns table (call_id uuid, lacking text, day_left interval) language plpgsql as $$
#variable_conflict use_column
declare
    v_owner_id constant uuid := coalesce(p_being_id, p_user_id);
    v_local timestamp;
    v_tokens bigint;
    v_cost numeric;
    v_spent record;
begin
    select memory.now() at time zone u.time_zone,
        coalesce(b.daily_tokens, p_daily_tokens), coalesce(b.daily_cost, p_daily_cost)
    into strict v_local, v_tokens, v_cost
    from memory.users as u
    left join memory.beings as b on b.user_id = u.user_id and b.being_id = p_being_id
    where u.user_id = p_user_id;
    day_left := date_trunc('day', v_local) + interval '1 day' - v_local;

    if v_tokens is not null or v_cost is not null then
        -- One reservation of an owner at a time; nothing else waits for this lock.
        perform pg_advisory_xact_lock(hashtextextended(v_owner_id::text, 0));
        select coalesce(sum(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens), 0) as tokens,
            coalesce(sum(cost), 0) as cost
        into v_spent
        from memory.model_calls
        where owner_id = v_owner_id and day = v_local::date;
        lacking := case
            when v_spent.tokens + p_input_tokens + p_output_tokens > v_tokens then 'tokens'
            when v_cost is not null and p_cost is null then 'price'
            when v_spent.cost + p_cost > v_cost then 'cost'
        end;
    end if;
    if lacking is null then
        insert into memory.model_calls (
            user_id, being_id, kind, key, purpose, provider, model, paid_with, batch, input_tokens, output_tokens, cost, day
        )
        values (
            p_user_id, p_being_id, p_kind, p_key, p_purpose, p_provider, p_model, p_paid_with, p_batch,
            p_input_tokens, p_output_tokens, p_cost, v_local::date
        )
        returning model_calls.call_id into call_id;
    end if;
    return next;
end $$;

-- Whether somebody may think for a user, as far as can be told without opening a key: the one that the user stored last,
-- unless it was refused less than p_refusal_holds ago; without any, the platform, if it has somebody.
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
