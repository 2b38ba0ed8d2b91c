-- The ledger: what must still get done, who is doing it, and what became of it.
--
-- INVARIANT 1  One row for each (owner, kind, key).
-- INVARIANT 2  A claim raises the fence, and only the holder of the newest fence can finish, back off or fail the work.
-- INVARIANT 3  Asking for work that is ready or running is never lost: a row that has been claimed remembers that it was
--              wanted, though it waits to be tried again, and finishing it then makes it ready again, and so does its death.
-- INVARIANT 4  Leases and next_at follow the real clock; as_of is the domain's, frozen by the unit's first claim.
-- INVARIANT 5  Work is paid for by the request's key of whoever caused it: memory.paid_by names it for a transaction, a
--              door sets it, and holding work sets it to the work's own, so that what follows is paid for likewise.
--
--      ask          claim            finish
--   ·───────▶ ready ──────▶ running ────────▶ done          ask makes done and dead ready again
--               ▲  ◀────────── │  ▲ ───────▶ dead
--               │ back off, fail, hand back │    fail, out of attempts
--               └── finish, or death, └─ claim, lease expired
--                   wanted meanwhile

-- The request's key that pays for what this transaction asks for; null: none came with the request.
create or replace function payer() returns uuid language sql stable
return nullif(current_setting('memory.paid_by', true), '')::uuid;

-- Asks for work. Returns whether the door must be rung now: it is due, and nobody has rung. A ring that is lost is the
-- sweep's to repeat: each further one from here would wait in the same queue.
create or replace function ask_work(
    p_owner_id uuid, p_kind text, p_key text, p_queue text, p_next_at timestamptz
) returns boolean language plpgsql as $$
declare
    v_ring boolean;
begin
    insert into memory.work as w (owner_id, kind, key, queue, next_at, paid_by)
    values (p_owner_id, p_kind, p_key, p_queue, p_next_at, memory.payer())
    on conflict (owner_id, kind, key) do update
    set paid_by = case
            when w.state in ('done', 'dead') then excluded.paid_by
            else coalesce(excluded.paid_by, w.paid_by)
        end,
        state = case when w.state = 'running' then 'running' else 'ready' end,
        next_at = case
            when w.state = 'running' then w.next_at
            -- What backs off, or failed before, waits as long as it was told to, whoever else asks.
            when w.state = 'ready' and (w.back_offs > 0 or w.attempts > 0) then w.next_at
            when w.state = 'ready' then least(w.next_at, excluded.next_at)
            else excluded.next_at
        end,
        -- A unit that was claimed before sees what was there then, however often it is tried again.
        wanted_at = case
            when w.state = 'running' or (w.state = 'ready' and w.as_of is not null)
            then least(w.wanted_at, excluded.next_at)
        end,
        attempts = case when w.state in ('done', 'dead') then 0 else w.attempts end,
        back_offs = case when w.state in ('done', 'dead') then 0 else w.back_offs end,
        as_of = case when w.state in ('done', 'dead') then null else w.as_of end,
        rung_at = case when w.state in ('done', 'dead') then null else w.rung_at end,
        finished_at = null;
    update memory.work
    set rung_at = clock_timestamp()
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'ready' and next_at <= clock_timestamp()
        and rung_at is null
    returning true into v_ring;
    return coalesce(v_ring, false);
end $$;

-- Gives work that has just died another life if it was wanted since its first claim: no attempt has seen what was there by
-- then. After a while, for poison must not go round fast. Returns whether it lives.
create or replace function live_again(p_owner_id uuid, p_kind text, p_key text) returns boolean language plpgsql as $$
begin
    update memory.work
    set state = 'ready', attempts = 0, back_offs = 0, as_of = null, wanted_at = null, rung_at = null, finished_at = null,
        next_at = greatest(wanted_at, clock_timestamp() + interval '30 seconds')
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'dead' and wanted_at is not null;
    return found;
end $$;

-- Takes the lease on due work; no row if it is not due, leased to another, or over. Work whose holder has vanished
-- more often than p_attempts kills whoever takes it, and is buried instead.
create or replace function claim_work(p_owner_id uuid, p_kind text, p_key text, p_lease interval, p_attempts integer)
returns setof work language plpgsql as $$
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
        lease_until = clock_timestamp() + p_lease, rings = 0,
        -- The moment of the claim, and not of its transaction's beginning: whoever asked before it was there before it.
        as_of = coalesce(as_of, clock_timestamp() + (select shift from memory.clock))
    where owner_id = p_owner_id and kind = p_kind and key = p_key
        and ((state = 'ready' and next_at <= clock_timestamp())
            or (state = 'running' and lease_until < clock_timestamp()))
    returning *;
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

-- The first statement of a finishing transaction: whoever else wants the row waits until this one ends.
create or replace function hold_work(p_owner_id uuid, p_kind text, p_key text, p_fence bigint) returns void
language plpgsql as $$
declare
    v_paid_by uuid;
begin
    select paid_by into v_paid_by from memory.work
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'running' and fence = p_fence
    for update;
    if not found then
        perform memory.stale_lease(p_kind);
    end if;
    perform set_config('memory.paid_by', coalesce(v_paid_by::text, ''), true);
end $$;

-- The last statement of a finishing transaction. Work that was wanted meanwhile is ready again, for the sweep to ring.
create or replace function finish_work(p_owner_id uuid, p_kind text, p_key text, p_fence bigint) returns void
language plpgsql as $$
begin
    update memory.work
    set state = case when wanted_at is null then 'done' else 'ready' end,
        finished_at = case when wanted_at is null then clock_timestamp() end,
        next_at = coalesce(wanted_at, next_at),
        attempts = case when wanted_at is null then attempts else 0 end,
        back_offs = 0, wanted_at = null, rung_at = null, lease_until = null, as_of = null, error = null
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'running' and fence = p_fence;
    if not found then
        perform memory.stale_lease(p_kind);
    end if;
end $$;

-- A passing fault: the work waits for p_wait, or twice as long as the last time, and the attempt does not count.
create or replace function back_off_work(
    p_owner_id uuid, p_kind text, p_key text, p_fence bigint, p_wait interval, p_error text
) returns void language plpgsql as $$
begin
    update memory.work
    set state = 'ready', lease_until = null, rung_at = null, error = p_error, attempts = attempts - 1,
        back_offs = back_offs + 1,
        next_at = clock_timestamp() + coalesce(p_wait, power(2, least(back_offs, 8)) * interval '1 second')
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'running' and fence = p_fence;
    if not found then
        perform memory.stale_lease(p_kind);
    end if;
end $$;

-- A fault that is the work's own: it waits longer each time, and after p_attempts it dies. Returns the state.
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
        lease_until = null, rung_at = null, error = p_error
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'running' and fence = p_fence
    returning state into v_state;
    if v_state is null then
        perform memory.stale_lease(p_kind);
    end if;
    return case when v_state = 'dead' and memory.live_again(p_owner_id, p_kind, p_key) then 'ready' else v_state end;
end $$;

-- A worker that is told to stop gives back what it had begun: it is due at once, and the attempt does not count.
create or replace function hand_back_work(p_owner_id uuid, p_kind text, p_key text, p_fence bigint) returns void
language plpgsql as $$
begin
    update memory.work
    set state = 'ready', lease_until = null, rung_at = null, attempts = attempts - 1, next_at = clock_timestamp()
    where owner_id = p_owner_id and kind = p_kind and key = p_key and state = 'running' and fence = p_fence;
    if not found then
        perform memory.stale_lease(p_kind);
    end if;
end $$;

-- What is due and not leased, for the sweep to ring: one row of each owner before the second of any. A ring is taken for
-- lost after p_ring_again, doubled with each ring since the last claim up to p_most_patient, lest the sweep feed the very
-- queue that it waits for; and after p_lost_after already where its queue holds no message.
create or replace function ring_due_work(
    p_ring_again interval, p_most_patient interval, p_empty_queues text[], p_lost_after interval, p_limit integer
) returns table (owner_id uuid, kind text, key text, queue text) language sql as $$
    with due as (
        select w.owner_id, w.kind, w.key, w.rung_at, w.next_at,
            row_number() over (partition by w.owner_id order by w.next_at) as turn
        from memory.work as w
        where (w.state = 'ready' and w.next_at <= clock_timestamp()
                or w.state = 'running' and w.lease_until < clock_timestamp())
            and (w.rung_at is null or w.rung_at < clock_timestamp() - case
                when w.queue = any(p_empty_queues) then p_lost_after
                -- A power that can't overflow: ten doublings of any wait are more than anybody's patience.
                else least(p_ring_again * power(2, least(w.rings, 10)), p_most_patient)
            end)
        order by turn, w.next_at
        limit p_limit
    ),
    -- What another sweep is ringing, or a worker is finishing, is left to them.
    mine as (
        select w.owner_id, w.kind, w.key
        from due join memory.work as w using (owner_id, kind, key)
        where w.rung_at is not distinct from due.rung_at
        for no key update of w skip locked
    )
    update memory.work as w
    set rung_at = clock_timestamp(),
        -- The first ring for what became due, or in place of one that was lost, tells nothing about the queue.
        rings = case when w.rung_at is null or w.queue = any(p_empty_queues) then 0 else w.rings + 1 end
    from mine
    where w.owner_id = mine.owner_id and w.kind = mine.kind and w.key = mine.key
    returning w.owner_id, w.kind, w.key, w.queue;
$$;

-- Gives dead work another life, with all its attempts.
create or replace function replay_work(p_owner_id uuid, p_work_id uuid) returns void language plpgsql as $$
begin
    update memory.work
    set state = 'ready', attempts = 0, back_offs = 0, next_at = clock_timestamp(), rung_at = clock_timestamp(),
        finished_at = null, as_of = null
    where owner_id = p_owner_id and work_id = p_work_id and state = 'dead';
    if not found then
        raise exception using errcode = 'MP003', message = 'Only dead work can be replayed.';
    end if;
end $$;
