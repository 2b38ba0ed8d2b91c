-- Erased items, which intake refuses when they are handed in again.
--
-- INVARIANT  Intake compares items with a Being's erased items while no erasure runs: one of the two sees the other's changes.
-- LOCK ORDER This lock first, before any row.

-- Locks a Being's intake until this transaction ends: shared, against erasures; with p_alone, against intake as well.
create or replace function hold_intake(p_being_id uuid, p_alone boolean) returns void language plpgsql as $$
declare
    v_key constant bigint := hashtextextended(format('intake/%s', p_being_id), 0);
begin
    if p_alone then
        perform pg_advisory_xact_lock(v_key);
    else
        perform pg_advisory_xact_lock_shared(v_key);
    end if;
end $$;

-- The key of the digests of this Being's erased items; no row if nothing was erased. The query is a statement of its own, so
-- that its snapshot includes rows committed while it waited for the lock.
create or replace function erasure_key_for_intake(p_being_id uuid)
returns table (user_id uuid, key bytea, sealed boolean) language plpgsql as $$
begin
    perform memory.hold_intake(p_being_id, false);
    return query
    select k.user_id, k.key, k.sealed
    from memory.beings as b join memory.erasure_keys as k on k.user_id = b.user_id
    where b.being_id = p_being_id
        and exists (
            select from memory.erased_items as e where e.user_id = b.user_id and e.being_id = b.being_id
        );
end $$;
