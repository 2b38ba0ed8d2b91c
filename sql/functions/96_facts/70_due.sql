-- Due items: todos, promises and reminders whose time has come are noticed once for each time.
--
-- INVARIANT  An item has one notice for each time at which it was due, and the ids of notices rise in the order of their commits:
--            one transaction at a time makes notices.

-- The open todos and promises, and the unread reminders, of a Being.
create or replace function open_items(p_being_id uuid) returns table (
    kind text, item_id uuid, todo_id uuid, note_id uuid, content text, due text, due_at timestamptz, due_until timestamptz,
    told_at timestamptz, in_confidence boolean
) language sql stable as $$
    select case kind when 'promise' then 'promise' else 'todo' end, todo_id, todo_id, null::uuid, content, due, due_at, due_until,
        last_told_at, in_confidence
    from memory.tellable_todos
    where being_id = p_being_id and status = 'OPEN' and due_at is not null
    union all
    select 'reminder', note_id, null, note_id, content #>> '{}', null, due_at, null, received_at, false
    from memory.tellable_notes
    where being_id = p_being_id and type = 'reminder' and read_at is null and due_at is not null;
$$;

-- Makes notices of up to p_limit todos and as many reminders that are due and were not noticed. Items that have been due for
-- longer than p_within, as an import may be, is marked without a notice. Another transaction that does the same makes this one do
-- nothing.
create or replace function notice_due(p_limit integer, p_within interval)
returns table (being_id uuid, user_id uuid, notice_id uuid, has_webhook boolean) language plpgsql as $$
#variable_conflict use_column
begin
    if not pg_try_advisory_xact_lock(hashtext('memory.notice_due')) then
        return;
    end if;
    return query
    with due_todos as (
        select t.being_id, t.todo_id
        from memory.todos as t
        where t.status = 'OPEN' and t.due_at is not null and t.noticed_due_at is distinct from t.due_at
            and t.due_at <= memory.now() and not memory.is_muted(t.being_id, 'todo', t.todo_id)
        order by t.due_at
        limit p_limit
        for update skip locked
    ),
    due_notes as (
        select n.being_id, n.note_id
        from memory.notes as n
        where n.type = 'reminder' and n.read_at is null and n.due_at is not null
            and n.noticed_due_at is distinct from n.due_at and n.due_at <= memory.now()
            and not memory.is_muted(n.being_id, 'knowledge', n.note_id)
        order by n.due_at
        limit p_limit
        for update skip locked
    ),
    marked as (
        update memory.todos as t
        set noticed_due_at = t.due_at
        from due_todos as d
        where t.being_id = d.being_id and t.todo_id = d.todo_id
        returning t.being_id, t.todo_id, null::uuid as note_id, t.due_at, coalesce(t.due_until, t.due_at) as over_at
    ),
    marked_notes as (
        update memory.notes as n
        set noticed_due_at = n.due_at
        from due_notes as d
        where n.being_id = d.being_id and n.note_id = d.note_id
        returning n.being_id, null::uuid as todo_id, n.note_id, n.due_at, n.due_at as over_at
    ),
    made as (
        insert into memory.due_notices (being_id, todo_id, note_id, due_at)
        select being_id, todo_id, note_id, due_at
        from (select * from marked union all select * from marked_notes) as every
        where over_at > memory.now() - p_within
        order by due_at
        on conflict do nothing
        returning being_id, notice_id
    )
    select m.being_id, b.user_id, m.notice_id, exists (select from memory.webhooks as w where w.user_id = b.user_id)
    from made as m
    join memory.beings as b on b.being_id = m.being_id
    order by m.notice_id;
end $$;
