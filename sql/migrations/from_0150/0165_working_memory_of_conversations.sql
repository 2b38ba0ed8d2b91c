-- Working memory and the record of contexts belong to a conversation, as sessions and messages do.

-- The conversation; null where none was named, which is a conversation of its own. An entry of a message has the message's.
alter table working_memory add column conversation text;
update working_memory as w
set conversation = m.conversation
from messages as m
where m.being_id = w.being_id and m.message_id = w.message_id and m.conversation is not null;
-- A region held the newest messages of a Being: the newest of each of its conversations were not all among them.
insert into working_memory (being_id, conversation, region, role, message_id, said_at)
select being_id, conversation, 'conversation', case role when 'assistant' then 'assistant' else 'user' end, message_id,
    created_at
from (
    select *, row_number() over (partition by being_id, conversation order by created_at desc, message_id desc) as place
    from messages
) as said
where place <= 20
order by being_id, created_at, message_id
on conflict (being_id, message_id) do nothing;
drop index working_memory_in_order;
create index working_memory_in_order on working_memory (being_id, coalesce(conversation, ''), region, said_at, entry_id);

-- The conversation that a context was assembled for; null where none was named, and for contexts from before.
alter table receipts add column conversation text;

-- The pause before a session is the time since the conversation's session before.
create index sessions_of_conversation on sessions (being_id, coalesce(conversation, ''), last_activity_at);
