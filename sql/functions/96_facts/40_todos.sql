-- Todos: each is a fold over its evidence, as a fact is.

-- Derives todos from their evidence, except for values that a person has set: the words of the first message that made it, the
-- newest words of when it is due, with their first and last moment, and the time of its latest message. It is in confidence if
-- one of its messages is.
create or replace function word_todos(p_being_id uuid, p_todo_ids uuid[]) returns void language sql as $$
    update memory.todos as t
    set content = case when t.corrected then t.content else told.content end,
        due = case when t.due_corrected then t.due else told.due end,
        due_at = case when t.due_corrected then t.due_at else told.due_at end,
        due_until = case when t.due_corrected then t.due_until else told.due_until end,
        last_told_at = told.last_told_at, in_confidence = told.in_confidence
    from (
        select e.todo_id,
            (array_agg(e.content order by m.created_at, m.message_id))[1] as content,
            (array_agg(e.due order by m.created_at desc, m.message_id desc) filter (where e.due is not null))[1] as due,
            (array_agg(e.due_at order by m.created_at desc, m.message_id desc) filter (where e.due is not null))[1] as due_at,
            (array_agg(e.due_until order by m.created_at desc, m.message_id desc) filter (where e.due is not null))[1]
                as due_until,
            max(m.created_at) as last_told_at,
            bool_or(m.in_confidence) as in_confidence
        from memory.todo_evidence as e
        join memory.messages as m on m.being_id = e.being_id and m.message_id = e.message_id
        where e.being_id = p_being_id and e.todo_id = any(p_todo_ids) and e.content is not null
        group by e.todo_id
    ) as told
    where t.being_id = p_being_id and t.todo_id = told.todo_id and t.source = 'shadow_extraction';
$$;

-- A todo without evidence is deleted, as a statement is; without the evidence that closed it, it is open again.
create or replace function settle_todos() returns trigger language plpgsql as $$
begin
    delete from memory.todos as t
    using (select distinct being_id, todo_id from changed) as lost
    where t.being_id = lost.being_id and t.todo_id = lost.todo_id and t.source = 'shadow_extraction'
        and not exists (
            select from memory.todo_evidence as e
            where e.being_id = t.being_id and e.todo_id = t.todo_id and not e.closes
        );
    update memory.todos as t set status = 'OPEN', closed_at = null
    from changed
    where t.being_id = changed.being_id and t.todo_id = changed.todo_id and changed.closes and t.status = 'DONE'
        and not exists (
            select from memory.todo_evidence as e
            where e.being_id = t.being_id and e.todo_id = t.todo_id and e.closes
        );
    perform memory.word_todos(being_id, array_agg(todo_id)) from changed group by being_id;
    return null;
end $$;

create or replace trigger settle_todos after delete on todo_evidence
    referencing old table as changed for each statement execute function settle_todos();
