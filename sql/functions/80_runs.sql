-- Patrol runs: one at a time for a Being, and at most one more waiting.
--
--            demand, none running                     last step finished
--   ·──────────────────────────▶ running ──────────────────────────────▶ done
--   · ──▶ queued ─────────────────▲  │
--       demand during a run   run ended └──── a step is poisonous ────▶ failed
--
-- INVARIANT  A run works on the notes that it stamped when it began, and on no others. Each begun run has exactly one step
--            in the ledger that is not done, until it is over.

-- Begins a run that exists: fixes its time, stamps the oldest pending notes, live ones before bulk, and asks for its
-- first step, a kind of work and its queue.
create or replace function begin_run(p_being_id uuid, p_run_id uuid, p_notes integer, p_first text, p_queue text)
returns void language plpgsql as $$
begin
    update memory.patrol_runs
    set state = 'running', as_of = memory.now(), started_at = memory.now()
    where being_id = p_being_id and run_id = p_run_id;
    update memory.notes
    set state = 'stamped', run_id = p_run_id
    where being_id = p_being_id and note_id in (
        select note_id from memory.notes
        where being_id = p_being_id and state = 'pending'
        order by bulk, note_id
        limit p_notes
    );
    perform memory.ask_work(p_being_id, p_first, p_run_id::text, p_queue, clock_timestamp());
end $$;

-- Wants a patrol. Returns the run that will do it, and whether it began just now: then the caller must send the message
-- for its first step.
create or replace function want_run(
    p_being_id uuid, p_demanded boolean, p_notes integer, p_first text, p_queue text
) returns table (run_id uuid, began boolean) language plpgsql as $$
#variable_conflict use_column
declare
    v_run_id uuid;
    v_running boolean;
begin
    perform memory.lock_being(p_being_id);
    v_running := exists (select from memory.patrol_runs where being_id = p_being_id and state = 'running');
    insert into memory.patrol_runs as r (being_id, demanded, state)
    values (p_being_id, p_demanded, 'queued')
    on conflict (being_id) where state = 'queued' do update
    set demanded = r.demanded or excluded.demanded
    returning r.run_id into v_run_id;
    if not v_running then
        perform memory.begin_run(p_being_id, v_run_id, p_notes, p_first, p_queue);
    end if;
    return query select v_run_id, not v_running;
end $$;

-- Begins a patrol, if p_least notes are pending, none runs or waits for its beginning, and neither the user nor the Being is
-- locked by another transaction: it waits for no lock of theirs, so that an intake of notes may call it, as the last thing that
-- it does. Returns the run, or null.
create or replace function begin_run_if_free(p_being_id uuid, p_least integer, p_notes integer, p_first text, p_queue text)
returns uuid language plpgsql as $$
begin
    -- Counted first: a single note, which completes no number, locks nothing.
    if p_least > (
        select count(*)
        from (select from memory.notes where being_id = p_being_id and state = 'pending' limit p_least) as pending
    ) then
        return null;
    end if;
    perform 1
    from memory.beings as b join memory.users as u using (user_id)
    where b.being_id = p_being_id
    for key share of u skip locked
    for no key update of b skip locked;
    if not found or exists (select from memory.patrol_runs where being_id = p_being_id and state in ('queued', 'running')) then
        return null;
    end if;
    return (select run_id from memory.want_run(p_being_id, false, p_notes, p_first, p_queue));
end $$;

-- Ends a run, well or with an error, and begins the one that waits. Notes that a failed run did not remember are pending
-- again. Returns the run that began, if one did; nothing is left to end where the Being is gone.
create or replace function end_run(
    p_being_id uuid, p_run_id uuid, p_error text, p_notes integer, p_first text, p_queue text
) returns uuid language plpgsql as $$
declare
    v_next uuid;
begin
    perform memory.hold_owner(p_being_id);
    perform 1 from memory.beings where being_id = p_being_id for no key update;
    update memory.patrol_runs
    set state = case when p_error is null then 'done' else 'failed' end, error = p_error, finished_at = memory.now()
    where being_id = p_being_id and run_id = p_run_id and state = 'running';
    if not found then
        return null;
    end if;
    update memory.notes set state = 'pending', run_id = null
    where being_id = p_being_id and run_id = p_run_id and state = 'stamped';
    select run_id into v_next from memory.patrol_runs where being_id = p_being_id and state = 'queued';
    if v_next is not null then
        perform memory.begin_run(p_being_id, v_next, p_notes, p_first, p_queue);
    end if;
    return v_next;
end $$;
