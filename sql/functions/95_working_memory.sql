-- Working memory follows the conversation by trigger, so that no door can forget it.
--
-- INVARIANT  A region holds at most 40 entries of a Being's, its newest by said_at. When there are more, the oldest go
--            until 20 are left: between two such cuts a conversation only grows at its end, and what a model
--            has cached of it stays good.
-- LOCK       The Being's session state for messages (keep_messages holds it); what callers put there needs none.

create or replace function trim_working_memory(p_being_id uuid, p_region text) returns void language plpgsql as $$
begin
    if (select count(*) from memory.working_memory where being_id = p_being_id and region = p_region) > 40 then
        delete from memory.working_memory
        where being_id = p_being_id and entry_id in (
            select entry_id
            from memory.working_memory
            where being_id = p_being_id and region = p_region
            order by said_at desc, entry_id desc
            offset 20
        );
    end if;
end $$;

create or replace function follow_conversation() returns trigger language plpgsql as $$
begin
    insert into memory.working_memory (being_id, region, role, message_id, said_at)
    select being_id, 'conversation', case role when 'assistant' then 'assistant' else 'user' end, message_id, created_at
    from (
        select *, row_number() over (partition by being_id order by created_at desc, message_id desc) as place
        from new_messages
    ) as said
    where place <= 20
    order by created_at, message_id;
    perform memory.trim_working_memory(being_id, 'conversation')
    from (select distinct being_id from new_messages) as fed;
    return null;
end $$;

create or replace trigger follow_conversation after insert on messages
    referencing new table as new_messages
    for each statement execute function follow_conversation();
