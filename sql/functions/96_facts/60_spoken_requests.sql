-- Requests of users, in talk, to their memory: see the table spoken_requests.
--
-- INVARIANT  No request in talk deletes: a forgotten fact is archived, and comes back when its request is undone or
--            retracted; a correction is a statement whose evidence is the message that asks, and goes with that message; a mute
--            is lifted.
-- LOCK       The talk of the Being, then the user's facts.

-- Restores the facts and todos that these requests had archived, unless another request has too, or a newer fact has the key, and
-- removes the corrections, and has messages judged again that were not to be remembered. The rows stay; the caller marks or
-- deletes them. Returns the sessions with messages to judge.
create or replace function restore_asked(p_being_id uuid, p_request_ids uuid[]) returns setof uuid language plpgsql as $$
begin
    perform memory.lift_asked_mutes(p_being_id, p_request_ids);
    update memory.facts as f
    set status = 'ACTIVE'
    from memory.spoken_requests as r
    where r.being_id = p_being_id and r.request_id = any(p_request_ids) and r.effect = 'forgotten' and r.undone_at is null
        and f.user_id = r.user_id and f.fact_id = r.fact_id and f.status = 'ARCHIVED' and f.folded_into is null
        and not exists (
            select from memory.spoken_requests as other
            where other.user_id = f.user_id and other.fact_id = f.fact_id and other.effect = 'forgotten'
                and other.undone_at is null and other.request_id <> all(p_request_ids)
        )
        and not exists (
            select from memory.facts as newer
            where newer.user_id = f.user_id and newer.being_id is not distinct from f.being_id
                and newer.memory_key = f.memory_key and newer.status = 'ACTIVE'
        );
    update memory.todos as t
    set status = 'OPEN', closed_at = null
    from memory.spoken_requests as r
    where r.being_id = p_being_id and r.request_id = any(p_request_ids) and r.effect = 'forgotten' and r.undone_at is null
        and t.being_id = r.being_id and t.todo_id = r.todo_id and t.status = 'ARCHIVED'
        and not exists (
            select from memory.spoken_requests as other
            where other.being_id = t.being_id and other.todo_id = t.todo_id and other.effect = 'forgotten'
                and other.undone_at is null and other.request_id <> all(p_request_ids)
        );
    delete from memory.fact_evidence as e
    using memory.spoken_requests as r, memory.fact_statements as s
    where r.being_id = p_being_id and r.request_id = any(p_request_ids) and r.effect = 'corrected' and r.undone_at is null
        and s.user_id = r.user_id and s.fact_id = r.fact_id
        and e.user_id = s.user_id and e.statement_id = s.statement_id
        and e.being_id = r.being_id and e.message_id = r.message_id;
    return query
    with again as (
        update memory.messages as m
        set judged = false, judging_error = null
        from memory.spoken_requests as r
        where r.being_id = p_being_id and r.request_id = any(p_request_ids) and r.effect = 'ignored' and r.undone_at is null
            and m.being_id = r.being_id and m.message_id = r.meant_message_id and m.message_id <> r.message_id and m.judged
            and not exists (
                select from memory.fact_evidence as e where e.being_id = m.being_id and e.message_id = m.message_id
            )
            and not exists (
                select from memory.spoken_requests as other
                where other.being_id = m.being_id and other.meant_message_id = m.message_id and other.effect = 'ignored'
                    and other.undone_at is null and other.request_id <> all(p_request_ids)
            )
        returning m.session_id
    )
    select distinct session_id from again;
end $$;
