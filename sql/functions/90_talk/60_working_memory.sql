-- Working memory: a trigger on messages appends to the region `conversation`, whichever door the messages came through.
-- A region is of one conversation; null is the one of messages and entries that name none. Statements compare it as
-- coalesce(conversation, ''), which the index has; no conversation has an empty id.
--
-- INVARIANT  A region of a conversation holds at most 40 entries, the newest by said_at. A longer one is cut to the newest 20.
--            Between two cuts it only grows at its end, so that the prefix in a provider's prompt cache stays valid.
-- LOCK       The Being's session state for messages (held by keep_messages); none for entries of callers.

create or replace function trim_working_memory(p_being_id uuid, p_conversation text, p_region text) returns void
language plpgsql as $$
begin
    if (
        select count(*) from memory.working_memory
        where being_id = p_being_id and coalesce(conversation, '') = coalesce(p_conversation, '') and region = p_region
    ) > 40 then
        delete from memory.working_memory
        where being_id = p_being_id and entry_id in (
            select entry_id
            from memory.working_memory
            where being_id = p_being_id and coalesce(conversation, '') = coalesce(p_conversation, '') and region = p_region
            order by said_at desc, entry_id desc
            offset 20
        );
    end if;
end $$;

create or replace function follow_conversation() returns trigger language plpgsql as $$
begin
    insert into memory.working_memory (being_id, conversation, region, role, message_id, said_at)
    select being_id, conversation, 'conversation', case role when 'assistant' then 'assistant' else 'user' end, message_id,
        created_at
    from (
        select *, row_number() over (
            partition by being_id, conversation order by created_at desc, message_id desc
        ) as place
        from new_messages
    ) as said
    where place <= 20
    order by created_at, message_id;
    perform memory.trim_working_memory(being_id, conversation, 'conversation')
    from (select distinct being_id, conversation from new_messages) as fed;
    return null;
end $$;

create or replace trigger follow_conversation after insert on messages
    referencing new table as new_messages
    for each statement execute function follow_conversation();
