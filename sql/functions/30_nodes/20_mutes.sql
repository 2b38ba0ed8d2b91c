-- Mutes: a thing that a person does not want to be brought up is kept, and found by a person who looks for it, but shown in no
-- prompt.
--
-- INVARIANT 1  A statement that reads for a prompt (a context, recall, a model's tool, an answer, a summary, a diary page, a
--              webhook) reads the views `tellable_*`, or asks `is_muted`: no other statement decides what may be shown.
--              Statements that read the tables themselves are listed with their reasons in tests/unit/patterns/test_tellable.py.
-- INVARIANT 2  muted_items holds, for each mute, the thing itself; the messages that the thing rests on; the memories, todos and
--              days of the diary that rest on these; and of a memory, topic, message or conversation the facts too. Triggers
--              in 96_facts/82_spreading_mutes.sql and 84_muting_what_comes.sql keep it so as rows come in, change and move.
-- INVARIANT 3  No summary includes a muted message: muting deletes those that do, as a withdrawal would (98_summaries.sql).

create or replace function is_muted(p_owner_id uuid, p_kind text, p_item_id uuid) returns boolean language sql stable
return exists (
    select from memory.muted_items as x
    where x.owner_id = p_owner_id and x.kind = p_kind and x.item_id = p_item_id
);

create or replace view tellable_messages with (security_invoker = true) as
select m.* from memory.messages as m
where not exists (
    select from memory.muted_items as x
    where x.owner_id = m.being_id and x.kind = 'message' and x.item_id = m.message_id
);

create or replace view tellable_nodes with (security_invoker = true) as
select n.* from memory.seen_nodes as n
where not exists (
    select from memory.muted_items as x where x.owner_id = n.being_id and x.kind = 'node' and x.item_id = n.node_id
);

create or replace view tellable_facts with (security_invoker = true) as
select f.* from memory.facts as f
where not exists (
    select from memory.muted_items as x
    where x.owner_id = coalesce(f.being_id, f.user_id) and x.kind = 'fact' and x.item_id = f.fact_id
);

create or replace view tellable_todos with (security_invoker = true) as
select t.* from memory.todos as t
where not exists (
    select from memory.muted_items as x where x.owner_id = t.being_id and x.kind = 'todo' and x.item_id = t.todo_id
);

-- Todos, reminders and knowledge that producers handed in.
create or replace view tellable_notes with (security_invoker = true) as
select n.* from memory.notes as n
where not exists (
    select from memory.muted_items as x
    where x.owner_id = n.being_id and x.kind = 'knowledge' and x.item_id = n.note_id
);

create or replace view tellable_diary with (security_invoker = true) as
select d.* from memory.diary as d
where not exists (
    select from memory.muted_items as x
    where x.owner_id = d.being_id and x.kind = 'diary'
        and x.item_id = lpad(to_char(d.day, 'YYYYMMDD'), 32, '0')::uuid
);

-- The documents of these owners that no search for a prompt may find.
create or replace function muted_documents(p_owners uuid[]) returns table (owner_id uuid, document_id bigint)
language sql stable as $$
    select d.owner_id, d.document_id
    from memory.muted_items as x
    join memory.search_documents as d
        on d.owner_id = x.owner_id and d.kind::text = x.kind and d.item_id = x.item_id
    where x.owner_id = any(p_owners);
$$;
