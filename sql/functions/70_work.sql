-- The ledger: units of work, the leases on them, and their outcome.
--
-- INVARIANT 1  One row for each (owner, kind, key).
-- INVARIANT 2  A claim raises the fence, and only the holder of the newest fence can finish, back off or fail the work.
-- INVARIANT 3  A request for work that is ready or running is never lost: a row that was claimed before, running or backing
--              off, stores it in rerun_at, and both finishing the work and its death then make the row ready again.
-- INVARIANT 4  Leases and next_at follow the real clock; as_of is the domain's, frozen by the unit's first claim.
--
--      ask          claim            finish
--   ·───────▶ ready ──────▶ running ────────▶ done          ask makes done and dead ready again
--               ▲  ◀────────── │  ▲ ───────▶ dead
--               │ back off, fail, hand back │    fail, out of attempts
--               └── finish, or death, └─ claim, lease expired
--                   requested meanwhile

-- Requests work. Returns true if the caller must send its Celery message: the work is due, and no message was sent for it
-- since it was last done. A lost message is repeated by the sweep alone.
create or replace function ask_work(
    p_owner_id uuid, p_kind text, p_key text, p_queue text, p_next_at timestamptz
) returns boolean language plpgsql as $$
declare
    v_send boolean;
begin
    insert into memory.work as w (owner_id, kind, key, queue, next_at, trace)
    -- Transactions of processes that keep traces name theirs (`Store`).
    values (p_owner_id, p_kind, p_key, p_queue, p_next_at, nullif(current_setting('memory.trace', true), ''))
    on conflict (owner_id, kind, key) do update
    set queue = excluded.queue,
        state = case when w.state = 'running' then 'running' else 'ready' end,
        next_at = case
            when w.state = 'running' then w.next_at
            -- A further request does not shorten a backoff.
            when w.state = 'ready' and (w.backoffs > 0 or w.attempts > 0) then w.next_at
            when w.state = 'ready' then least(w.next_at, excluded.next_at)
            else excluded.next_at
        end,
        -- Every attempt at a unit sees the inputs of its first claim; later inputs are the next run's.
        rerun_at = case
            when w.state = 'running' or (w.state = 'ready' and w.as_of is not null)
            then least(w.rerun_at, excluded.next_at)
        end,
        attempts = case when w.state in ('done', 'dead') then 0 else w.attempts end,
        backoffs = case when w.state in ('done', 'dead') then 0 else w.backoffs end,
        as_of = case when w.state in ('done', 'dead') then null else w.as_of end,
        dispatched_at = case when w.state in ('done', 'dead') then null else w.dispatched_at end,
        trace = coalesce(excluded.trace, case when w.state not in ('done', 'dead') then w.trace end),
        finished_at = null;
    update memory.work
    set dispatched_at = clock_timestamp()
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'ready' and next_at <= clock_timestamp()
        and dispatched_at is null
    returning true into v_send;
    return coalesce(v_send, false);
end $$;

-- Makes work that has just died ready again if it was requested since its first claim, because no attempt has seen the later
-- inputs; after 30 seconds, so that work that always fails does not loop fast. Returns whether it is ready.
create or replace function live_again(p_owner_id uuid, p_kind text, p_key text) returns boolean language plpgsql as $$
begin
    update memory.work
    set state = 'ready', attempts = 0, backoffs = 0, as_of = null, rerun_at = null, dispatched_at = null, finished_at = null,
        next_at = greatest(rerun_at, clock_timestamp() + interval '30 seconds')
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'dead' and rerun_at is not null;
    return found;
end $$;

-- Takes the lease on due work; no row if it is not due, leased to another worker, or finished. Work whose lease has expired
-- p_attempts times is taken to crash its workers, and dies. The function declares its number of rows to the planner: callers join
-- users and Beings, and for the planner's default of a thousand rows would read all of them.
create or replace function claim_work(p_owner_id uuid, p_kind text, p_key text, p_lease interval, p_attempts integer)
returns setof work language plpgsql rows 1 as $$
begin
    update memory.work
    set state = 'dead', lease_until = null, finished_at = clock_timestamp(),
        error = format('Every one of %s attempts ended with its worker gone.', attempts)
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'running'
        and lease_until < clock_timestamp() and attempts >= p_attempts;
    if found then
        perform memory.live_again(p_owner_id, p_kind, p_key);
    end if;
    return query
    update memory.work
    set state = 'running', attempts = attempts + 1, fence = fence + 1, claimed_at = clock_timestamp(),
        lease_until = clock_timestamp() + p_lease,
        -- The time of the claim, not of the transaction's start, so that all inputs requested before are included.
        as_of = coalesce(as_of, clock_timestamp() + (select shift from memory.clock))
    where owner_id = p_owner_id and kind = p_kind and key = p_key
        and ((state = 'ready' and next_at <= clock_timestamp())
            or (state = 'running' and lease_until < clock_timestamp()))
    returning *;
end $$;

-- Takes the leases on one kind of work of several owners at once, as a request and a claim for each would, where no such work
-- waits, is under way or is dead. Passes over owners that are being erased.
create or replace function begin_idle_work(p_owner_ids uuid[], p_kind text, p_queue text, p_lease interval)
returns setof work language plpgsql rows 10 as $$
declare
    v_present uuid[] := array(
        select asked.owner_id
        from unnest(p_owner_ids) as asked (owner_id)
        left join memory.beings as b on b.being_id = asked.owner_id
        join memory.users as u on u.user_id = coalesce(b.user_id, asked.owner_id)
        for key share of u skip locked
    );
begin
    return query
    insert into memory.work as w (owner_id, kind, key, queue, state, attempts, fence, claimed_at, lease_until, as_of)
    select present.owner_id, p_kind, '', p_queue, 'running', 1, 1, clock_timestamp(), clock_timestamp() + p_lease,
        clock_timestamp() + (select shift from memory.clock)
    from unnest(v_present) as present (owner_id)
    order by present.owner_id
    on conflict (owner_id, kind, key) do update
    set queue = excluded.queue, state = 'running', attempts = 1, backoffs = 0, fence = w.fence + 1,
        next_at = clock_timestamp(), claimed_at = excluded.claimed_at, lease_until = excluded.lease_until,
        as_of = excluded.as_of, dispatched_at = null, finished_at = null
    where w.state = 'done'
    returning w.*;
end $$;

create or replace function stale_lease(p_kind text) returns void language plpgsql as $$
begin
    raise exception using errcode = 'MP001', message = format('The lease on %s is held by another now.', p_kind);
end $$;

create or replace function renew_lease(p_owner_id uuid, p_kind text, p_key text, p_fence bigint, p_lease interval)
returns void language plpgsql as $$
begin
    update memory.work set lease_until = clock_timestamp() + p_lease
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'running' and fence = p_fence;
    if not found then
        perform memory.stale_lease(p_kind);
    end if;
end $$;

-- Locks the row and checks the lease, at the start of a finishing transaction: another claim waits until it ends.
create or replace function hold_work(p_owner_id uuid, p_kind text, p_key text, p_fence bigint) returns void
language plpgsql as $$
begin
    perform memory.hold_owner(p_owner_id);
    perform 1 from memory.work
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'running' and fence = p_fence
    for update;
    if not found then
        perform memory.stale_lease(p_kind);
    end if;
end $$;

-- The same for work of one kind of several owners.
create or replace function hold_each_work(p_owner_ids uuid[], p_kind text, p_fences bigint[]) returns void
language plpgsql as $$
begin
    -- As hold_owner, in one order for all that hold several.
    perform from memory.users as u
    where u.user_id in (
        select coalesce(b.user_id, held.owner_id)
        from unnest(p_owner_ids) as held (owner_id) left join memory.beings as b on b.being_id = held.owner_id
    )
    order by u.user_id
    for key share;
    perform memory.hold_work(held.owner_id, p_kind, '', held.fence)
    from (select * from unnest(p_owner_ids, p_fences) as held (owner_id, fence) order by owner_id) as held;
end $$;

-- Locks the row of work that this transaction will request, before the locks that the work itself takes while it finishes.
-- The advisory lock stands for a row that is missing, which a row lock can't hold.
create or replace function reserve_work(p_owner_id uuid, p_kind text, p_key text) returns void language plpgsql as $$
begin
    perform memory.hold_owner(p_owner_id);
    perform pg_advisory_xact_lock(hashtextextended(format('work/%s/%s/%s', p_owner_id, p_kind, p_key), 0));
    perform 1 from memory.work where owner_id = p_owner_id and kind = p_kind and key = p_key for update;
end $$;

-- The last statement of a finishing transaction. Work that was requested meanwhile is ready again. Returns true if it is due
-- now: then the caller must send its Celery message.
create or replace function finish_work(p_owner_id uuid, p_kind text, p_key text, p_fence bigint) returns boolean
language plpgsql as $$
declare
    v_send boolean;
begin
    update memory.work
    set state = case when rerun_at is null then 'done' else 'ready' end,
        finished_at = case when rerun_at is null then clock_timestamp() end,
        next_at = coalesce(rerun_at, next_at),
        attempts = case when rerun_at is null then attempts else 0 end,
        dispatched_at = case when rerun_at <= clock_timestamp() then clock_timestamp() end,
        backoffs = 0, rerun_at = null, lease_until = null, as_of = null, error = null
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'running' and fence = p_fence
    returning dispatched_at is not null into v_send;
    if not found then
        perform memory.stale_lease(p_kind);
    end if;
    return v_send;
end $$;

-- After a transient error: backs off for p_wait, or exponentially; the attempt does not count.
create or replace function back_off_work(
    p_owner_id uuid, p_kind text, p_key text, p_fence bigint, p_wait interval, p_error text
) returns void language plpgsql as $$
begin
    update memory.work
    set state = 'ready', lease_until = null, dispatched_at = null, error = p_error, attempts = attempts - 1,
        backoffs = backoffs + 1,
        next_at = clock_timestamp() + coalesce(p_wait, power(2, least(backoffs, 8)) * interval '1 second')
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'running' and fence = p_fence;
    if not found then
        perform memory.stale_lease(p_kind);
    end if;
end $$;

-- After an error of the work's own: backs off exponentially, and dies after p_attempts. Returns the state.
create or replace function fail_work(
    p_owner_id uuid, p_kind text, p_key text, p_fence bigint, p_attempts integer, p_error text
) returns text language plpgsql as $$
declare
    v_state text;
begin
    update memory.work
    set state = case when attempts >= p_attempts then 'dead' else 'ready' end,
        finished_at = case when attempts >= p_attempts then clock_timestamp() end,
        next_at = clock_timestamp() + least(power(2, attempts), 300) * interval '1 second',
        lease_until = null, dispatched_at = null, error = p_error
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'running' and fence = p_fence
    returning state into v_state;
    if v_state is null then
        perform memory.stale_lease(p_kind);
    end if;
    return case when v_state = 'dead' and memory.live_again(p_owner_id, p_kind, p_key) then 'ready' else v_state end;
end $$;

-- Gives up the lease of a worker that stops: the work is due at once, and the caller sends its Celery message. The attempt
-- does not count.
create or replace function hand_back_work(p_owner_id uuid, p_kind text, p_key text, p_fence bigint) returns void
language plpgsql as $$
begin
    update memory.work
    set state = 'ready', lease_until = null, attempts = attempts - 1, next_at = clock_timestamp(),
        dispatched_at = clock_timestamp()
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'running' and fence = p_fence;
    if not found then
        perform memory.stale_lease(p_kind);
    end if;
end $$;

-- Due units without a valid lease, for the sweep to send: one row of each owner before the second of any, and only kinds that the
-- caller's code knows; the others are left unchanged. A message is taken for lost after p_lost_after where its queue holds fewer
-- messages than units wait, and else after p_hidden_after, lest the sweep feed the very queue that it waits for.
-- Processes of 0.2.0 name p_send_again.
create or replace function take_due_work(
    p_kinds text[], p_send_again interval, p_hidden_after interval, p_short_queues text[], p_lost_after interval,
    p_limit integer
) returns table (owner_id uuid, kind text, key text) language sql as $$
    with due as (
        select w.owner_id, w.kind, w.key, w.dispatched_at, w.next_at,
            row_number() over (partition by w.owner_id order by w.next_at) as turn
        from memory.work as w
        where (w.state = 'ready' and w.next_at <= clock_timestamp()
                or w.state = 'running' and w.lease_until < clock_timestamp())
            and w.kind = any(p_kinds)
            and (w.dispatched_at is null or w.dispatched_at < clock_timestamp()
                - case when w.queue = any(p_short_queues) then p_lost_after else p_hidden_after end)
        order by turn, w.next_at
        limit p_limit
    ),
    -- Rows that another sweep or a finishing transaction has locked are skipped.
    mine as (
        select w.owner_id, w.kind, w.key
        from due join memory.work as w using (owner_id, kind, key)
        where w.dispatched_at is not distinct from due.dispatched_at
        for no key update of w skip locked
    )
    update memory.work as w
    set dispatched_at = clock_timestamp()
    from mine
    where w.owner_id = mine.owner_id and w.kind = mine.kind and w.key = mine.key
    returning w.owner_id, w.kind, w.key;
$$;

-- Makes dead work ready again, with all its attempts.
create or replace function replay_work(p_owner_id uuid, p_work_id uuid) returns void language plpgsql as $$
begin
    update memory.work
    set state = 'ready', attempts = 0, backoffs = 0, next_at = clock_timestamp(), dispatched_at = clock_timestamp(),
        finished_at = null, as_of = null
    where owner_id = p_owner_id and work_id = p_work_id and state = 'dead';
    if not found then
        raise exception using errcode = 'MP003', message = 'Only dead work can be replayed.';
    end if;
end $$;
