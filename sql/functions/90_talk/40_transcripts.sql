-- Places of messages in the transcripts of chat frontends.
--
-- INVARIANT 1  Places of a message, and ids that name it, are there as long as the message stands or is retracted, and no longer:
--              a message that is erased, or expires, leaves no digest.
-- INVARIANT 2  The messages after a message that goes come after the one before it: places stay connected.

-- Removes the places of a message that is gone for good. It runs at the commit, when a message that only changed its table is in
-- the other one.
create or replace function leave_transcript() returns trigger language plpgsql as $$
begin
    if exists (select from memory.messages where being_id = old.being_id and message_id = old.message_id)
        or exists (select from memory.retracted_messages where being_id = old.being_id and message_id = old.message_id)
    then
        return null;
    end if;
    delete from memory.answer_traces where being_id = old.being_id and message_id = old.message_id;
    with gone as (
        delete from memory.transcript_turns
        where being_id = old.being_id and message_id = old.message_id
        returning conversation, parent_id
    )
    update memory.transcript_turns as t
    set parent_id = gone.parent_id
    from gone
    where t.being_id = old.being_id and t.parent_id = old.message_id and t.conversation = gone.conversation;
    return null;
end $$;
create constraint trigger leave_transcript after delete on messages
    deferrable initially deferred for each row execute function leave_transcript();
create constraint trigger leave_transcript after delete on retracted_messages
    deferrable initially deferred for each row execute function leave_transcript();

-- Whether a message with the same words to another Being of the user is evidence for the fact there: in a room, or at about the
-- same time, for a frontend hands a group's messages to each Being in it. It counts once, for the first of these.
-- Joins in the order written, each by an index: to compare all orders of eight tables takes the planner 100 to 250 ms, in each of
-- the first executions of a connection.
create or replace function relayed(p_being_id uuid, p_message_id uuid, p_fact_id uuid) returns boolean
language sql stable set join_collapse_limit = 1 as $$
    select exists (
        select
        from memory.beings as b
        join memory.beings as near on near.user_id = b.user_id and near.being_id < b.being_id
        join memory.fact_evidence as e on e.being_id = near.being_id and e.message_id = p_message_id
        join memory.fact_statements as s on s.user_id = e.user_id and s.statement_id = e.statement_id
        where b.being_id = p_being_id and s.user_id = b.user_id and s.fact_id = p_fact_id
    ) or exists (
        select
        from memory.transcript_turns as t
        join memory.messages as m on m.being_id = t.being_id and m.message_id = t.message_id
        join memory.beings as b on b.being_id = t.being_id
        join memory.beings as near on near.user_id = b.user_id and near.being_id <> b.being_id
        join memory.transcript_turns as same on same.being_id = near.being_id and same.digest = t.digest
            and same.message_id < t.message_id
        join memory.messages as first on first.being_id = same.being_id and first.message_id = same.message_id
            and first.created_at between m.created_at - interval '10 minutes' and m.created_at + interval '10 minutes'
        join memory.fact_evidence as e on e.being_id = first.being_id and e.message_id = first.message_id
        join memory.fact_statements as s on s.user_id = e.user_id and s.statement_id = e.statement_id
        where t.being_id = p_being_id and t.message_id = p_message_id and s.user_id = b.user_id and s.fact_id = p_fact_id
    );
$$;
