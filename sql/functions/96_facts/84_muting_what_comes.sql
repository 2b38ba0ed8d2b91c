-- How mutes reach rows that come in or change later, and are made and lifted.
--
-- LOCK  The transaction that makes a mute holds the user's row alone, by which all of the rest may follow in any order
--       (05_locks.sql). A later row or change may reach the talk of each of the user's Beings: a transaction that locks any talk,
--       the facts or a Being's memory locks the talk of all of them first, where the user has mutes (lock_muted_talk).

create or replace function has_mutes(p_user_id uuid) returns boolean language sql stable
return exists (select from memory.mutes where user_id = p_user_id);

create or replace function lock_muted_talk(p_owner_id uuid) returns void language plpgsql as $$
declare
    v_user_id constant uuid := coalesce((select user_id from memory.beings where being_id = p_owner_id), p_owner_id);
begin
    if memory.has_mutes(v_user_id) then
        insert into memory.session_states (being_id)
        select being_id from memory.beings where user_id = v_user_id order by being_id
        on conflict do nothing;
        perform 1 from memory.session_states
        where being_id = any(array(select being_id from memory.beings where user_id = v_user_id))
        order by being_id
        for update;
    end if;
end $$;

create or replace function has_mutes_for(p_being_id uuid) returns boolean language sql stable
return exists (
    select from memory.beings as b join memory.mutes as m on m.user_id = b.user_id where b.being_id = p_being_id
);

create or replace function mute_new_messages() returns trigger language plpgsql as $$
begin
    perform memory.mute_messages(being_id, array_agg(message_id))
    from new_rows group by being_id having memory.has_mutes_for(being_id);
    return null;
end $$;
create or replace trigger mute_new_messages after insert on messages
    referencing new table as new_rows for each statement execute function mute_new_messages();

create or replace function mute_changed_node() returns trigger language plpgsql as $$
begin
    if memory.has_mutes_for(new.being_id) then
        perform memory.mute_nodes(new.being_id, array[new.node_id]);
    end if;
    return null;
end $$;
create or replace trigger mute_new_nodes after insert on memory_nodes
    for each row execute function mute_changed_node();
create or replace trigger mute_changed_nodes after update of cluster_id, scene, feeling, absorbed_into on memory_nodes
    for each row when (
        (old.cluster_id, old.scene, old.feeling, old.absorbed_into)
            is distinct from (new.cluster_id, new.scene, new.feeling, new.absorbed_into)
    )
    execute function mute_changed_node();

create or replace function mute_changed_fact() returns trigger language plpgsql as $$
begin
    if memory.has_mutes(new.user_id) then
        perform memory.mute_facts(new.user_id, array[new.fact_id, new.folded_into]);
    end if;
    return null;
end $$;
create or replace trigger mute_new_facts after insert on facts for each row execute function mute_changed_fact();
create or replace trigger mute_changed_facts after update of memory_key, entity_refs, content, being_id, folded_into on facts
    for each row when (
        (old.memory_key, old.entity_refs, old.content, old.being_id, old.folded_into)
            is distinct from (new.memory_key, new.entity_refs, new.content, new.being_id, new.folded_into)
    )
    execute function mute_changed_fact();

-- Words that support a muted fact are muted, and a fact that rests on muted words alone.
create or replace function mute_evidence() returns trigger language plpgsql as $$
declare
    v_row record;
begin
    for v_row in select user_id, array_agg(evidence_id) as ids from new_rows group by user_id loop
        continue when not memory.has_mutes(v_row.user_id);
        insert into memory.muted_items (owner_id, kind, item_id, user_id, mute_id, spreads)
        select distinct e.being_id, 'message', e.message_id, x.user_id, x.mute_id, false
        from new_rows as e
        join memory.fact_statements as s on s.user_id = e.user_id and s.statement_id = e.statement_id
        join memory.facts as f on f.user_id = s.user_id and f.fact_id = s.fact_id
        join memory.muted_items as x
            on x.owner_id = coalesce(f.being_id, f.user_id) and x.kind = 'fact' and x.item_id = f.fact_id and x.spreads
        where e.user_id = v_row.user_id and e.message_id is not null
        on conflict do nothing;
        perform memory.mute_facts_of(v_row.user_id, array(
            select distinct s.fact_id
            from new_rows as e
            join memory.fact_statements as s on s.user_id = e.user_id and s.statement_id = e.statement_id
            where e.user_id = v_row.user_id
        ));
    end loop;
    return null;
end $$;
create or replace trigger settle_muted_evidence after insert on fact_evidence
    referencing new table as new_rows for each statement execute function mute_evidence();

create or replace function mute_todo() returns trigger language plpgsql as $$
begin
    insert into memory.muted_items (owner_id, kind, item_id, user_id, mute_id, spreads)
    select x.owner_id, 'todo', new.todo_id, x.user_id, x.mute_id, false
    from memory.muted_items as x
    where x.owner_id = new.being_id and x.kind = 'message' and x.item_id = new.message_id
    on conflict do nothing;
    return null;
end $$;
create or replace trigger mute_todos after insert on todo_evidence for each row execute function mute_todo();

create or replace function mute_new_text() returns trigger language plpgsql as $$
declare
    v_row constant jsonb := to_jsonb(new);
    v_user_id constant uuid := coalesce(
        (v_row ->> 'user_id')::uuid, (select user_id from memory.beings where being_id = (v_row ->> 'being_id')::uuid)
    );
begin
    if memory.has_mutes(v_user_id) then
        perform memory.mute_texts(v_user_id, null, array[coalesce(
            (v_row ->> 'todo_id')::uuid, (v_row ->> 'note_id')::uuid,
            lpad(coalesce(replace(v_row ->> 'day', '-', ''), v_row ->> 'id'), 32, '0')::uuid
        )]);
    end if;
    return null;
end $$;
create or replace trigger mute_new_todos after insert or update of content on todos
    for each row execute function mute_new_text();
create or replace trigger mute_new_notes after insert on notes
    for each row when (new.type <> 'scene') execute function mute_new_text();
create or replace trigger mute_new_pages after insert on diary
    for each row execute function mute_new_text();
create or replace trigger mute_new_records after insert or update on vault_heads
    for each row execute function mute_new_text();

-- A page that is written anew is written without muted rows.
create or replace function tell_rewritten_page() returns trigger language plpgsql as $$
begin
    delete from memory.muted_items
    where owner_id = new.being_id and kind = 'diary' and item_id = memory.search_id(to_char(new.day, 'YYYYMMDD'));
    return null;
end $$;
create or replace trigger tell_rewritten_pages after update of text on diary
    for each row execute function tell_rewritten_page();

create or replace function forget_owner_in_mutes() returns trigger language plpgsql as $$
begin
    delete from memory.muted_items where owner_id = old.being_id;
    return old;
end $$;
create or replace trigger mutes_gone_beings before delete on beings
    for each row execute function forget_owner_in_mutes();

create or replace function apply_new_mute() returns trigger language plpgsql as $$
begin
    perform memory.apply_mutes(new.user_id, array[new.mute_id]);
    return null;
end $$;
create or replace trigger apply_new_mutes after insert on mutes
    for each row execute function apply_new_mute();

-- Mutes a thing with all that rests on it; null if it is muted already. The requesting message repeats the thing, and is muted
-- too.
create or replace function add_mute(
    p_user_id uuid, p_being_id uuid, p_kind text, p_item_id uuid, p_name text, p_asked_by uuid, p_asked_in uuid
) returns uuid language plpgsql as $$
declare
    v_mute_id uuid;
begin
    insert into memory.mutes (user_id, being_id, kind, item_id, name)
    values (p_user_id, p_being_id, p_kind, p_item_id, p_name)
    on conflict do nothing
    returning mute_id into v_mute_id;
    insert into memory.muted_items (owner_id, kind, item_id, user_id, mute_id, spreads)
    select p_asked_by, 'message', p_asked_in, p_user_id, v_mute_id, false
    where v_mute_id is not null and p_asked_in is not null
    on conflict do nothing;
    return v_mute_id;
end $$;

-- Lifts the mutes that requests in talk made, except those of things that another request means as well.
create or replace function lift_asked_mutes(p_being_id uuid, p_request_ids uuid[]) returns void language sql as $$
    delete from memory.mutes as m
    using memory.spoken_requests as r, memory.beings as b
    where r.being_id = p_being_id and r.request_id = any(p_request_ids) and r.effect = 'muted' and r.undone_at is null
        and b.being_id = r.being_id and m.user_id = b.user_id
        and case m.kind
            when 'entity' then m.name = r.name
            when 'fact' then m.item_id = r.fact_id
            when 'message' then m.being_id = r.being_id and m.item_id = r.meant_message_id
        end
        and not exists (
            select from memory.spoken_requests as other
            join memory.beings as asked on asked.being_id = other.being_id
            where asked.user_id = m.user_id and other.effect = 'muted' and other.undone_at is null
                and (other.being_id, other.request_id) <> (r.being_id, r.request_id)
                and other.request_id <> all(p_request_ids)
                and (other.name, other.fact_id, other.meant_message_id)
                    is not distinct from (r.name, r.fact_id, r.meant_message_id)
        );
$$;
