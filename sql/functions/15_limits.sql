-- Counting an owner's rows of a kind, for limits on their number.
--
-- INVARIANT  Two transactions that add rows of one kind for one owner see each other's rows: each holds the kind's lock until
--            it ends. The caller adds, then counts and refuses; or counts, and adds no more than the limit leaves.

-- Locks an owner's rows of a kind against other adders, and returns their number, including those of this transaction.
create or replace function hold_count(p_kind text, p_owner_id uuid) returns bigint language plpgsql as $$
begin
    perform pg_advisory_xact_lock(hashtextextended(format('limit/%s/%s', p_kind, p_owner_id), 0));
    -- A statement of its own, so that its snapshot includes rows committed while it waited for the lock.
    return case p_kind
        when 'being' then (select count(*) from memory.beings where user_id = p_owner_id)
        when 'token' then (
            select count(*) from memory.api_tokens
            where user_id = p_owner_id and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
        )
        when 'key' then (select count(*) from memory.provider_keys where user_id = p_owner_id and expires_at is null)
        when 'request_key' then (
            select count(*) from memory.provider_keys where user_id = p_owner_id and expires_at > clock_timestamp()
        )
        when 'kept_note' then (
            select count(*) from memory.notes where being_id = p_owner_id and state = 'kept' and key is null
        )
        when 'keyed_knowledge' then (
            select count(*) from memory.notes where being_id = p_owner_id and key is not null
        )
        when 'seed' then (select count(*) from memory.user_seeds where user_id = p_owner_id)
    end;
end $$;
