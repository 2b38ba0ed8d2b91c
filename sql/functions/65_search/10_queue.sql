-- The index of messages, nodes, facts and other texts: the queue of texts to index, and the removal from the index.
--
-- INVARIANT 1  A text that is searched is in search_queue (`words`), or in search_documents, from the transaction on that stored
--              it: triggers of the tables that hold it see to that, so that no path of code can forget it.
-- INVARIANT 2  search_postings holds each term of each document once, and search_statistics and search_terms their numbers,
--              at every commit.
-- INVARIANT 3  A document is deleted in the transaction that deletes its source row.
-- LOCK ORDER   queue, documents, statistics, terms: by erasures. Indexing takes the queue's and the statistics' rows of its
--              owners before it writes, and waits for none of them (take_told).

-- Queues new or changed texts for lexical indexing; their earlier versions are found until then.
create or replace function queue_for_search(p_owner_id uuid, p_kind search_kind, p_item_ids uuid[]) returns void
language sql as $$
    insert into memory.search_queue as q (owner_id, stage, kind, item_id)
    select p_owner_id, 'words', p_kind, item_id from unnest(p_item_ids) as item_id
    order by item_id
    on conflict (owner_id, stage, kind, item_id) do update set queued_at = clock_timestamp();
$$;

-- The queue first: indexing that is under way takes its rows from there, and then finds them gone, or is found here. It has
-- then queued its documents for a vector, which only a statement that begins after its commit sees.
create or replace function remove_from_search(p_owner_id uuid, p_kind search_kind, p_item_ids uuid[]) returns void
language plpgsql as $$
begin
    delete from memory.search_queue where owner_id = p_owner_id and kind = p_kind and item_id = any(p_item_ids);
    delete from memory.search_queue where owner_id = p_owner_id and kind = p_kind and item_id = any(p_item_ids);
    delete from memory.search_documents where owner_id = p_owner_id and kind = p_kind and item_id = any(p_item_ids);
end $$;

-- Takes rows that were read from the queue, of any number of owners, unless they have changed since. Rows that another
-- transaction has locked are left, and all rows of an owner whose documents another is changing: so nothing is waited for while
-- the rows of several owners are locked. Returns the taken rows. With plans that may read the whole table, here, in
-- remove_vectors, and where the queue is read, notes beside as many others are remembered a quarter slower.
create or replace function take_told(
    p_owner_ids uuid[], p_kinds search_kind[], p_item_ids uuid[], p_queued_at timestamptz[]
) returns table (owner_id uuid, kind search_kind, item_id uuid) language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
    v_free uuid[];
begin
    v_free := array(
        select o.owner_id
        from (select distinct read.owner_id from unnest(p_owner_ids) as read (owner_id)) as o
        where (select count(*) from memory.search_statistics as s where s.owner_id = o.owner_id) = (
            select count(*)
            from (
                select from memory.search_statistics as s where s.owner_id = o.owner_id for no key update skip locked
            ) as held
        )
    );
    return query
    delete from memory.search_queue as q
    where q.ctid = any(array(
        select mine.ctid
        from unnest(p_owner_ids, p_kinds, p_item_ids, p_queued_at) as read (owner_id, kind, item_id, queued_at)
        cross join lateral (
            select w.ctid from memory.search_queue as w
            where w.owner_id = read.owner_id and w.stage = 'words' and w.kind = read.kind and w.item_id = read.item_id
                and w.queued_at = read.queued_at
            for update skip locked
        ) as mine
        where read.owner_id = any(v_free)
    ))
    returning q.owner_id, q.kind, q.item_id;
end $$;

create or replace function queue_new_messages() returns trigger language plpgsql as $$
begin
    insert into memory.search_queue (owner_id, stage, kind, item_id)
    select being_id, 'words', 'message', message_id from new_rows;
    return null;
end $$;
create or replace trigger search_new_messages after insert on messages
    referencing new table as new_rows for each statement execute function queue_new_messages();

create or replace function remove_gone_messages() returns trigger language plpgsql as $$
begin
    perform memory.remove_from_search(being_id, 'message', array_agg(message_id)) from old_rows group by being_id;
    return null;
end $$;
create or replace trigger search_gone_messages after delete on messages
    referencing old table as old_rows for each statement execute function remove_gone_messages();

create or replace function queue_new_nodes() returns trigger language plpgsql as $$
begin
    insert into memory.search_queue (owner_id, stage, kind, item_id)
    select being_id, 'words', 'node', node_id from new_rows;
    return null;
end $$;
create or replace trigger search_new_nodes after insert on memory_nodes
    referencing new table as new_rows for each statement execute function queue_new_nodes();

create or replace function queue_changed_node() returns trigger language plpgsql as $$
begin
    perform memory.queue_for_search(new.being_id, 'node', array[new.node_id]);
    return null;
end $$;
create or replace trigger search_changed_nodes after update of scene, feeling on memory_nodes
    for each row when (old.scene is distinct from new.scene or old.feeling is distinct from new.feeling)
    execute function queue_changed_node();

create or replace function remove_gone_nodes() returns trigger language plpgsql as $$
begin
    perform memory.remove_from_search(being_id, 'node', array_agg(node_id)) from old_rows group by being_id;
    return null;
end $$;
create or replace trigger search_gone_nodes after delete on memory_nodes
    referencing old table as old_rows for each statement execute function remove_gone_nodes();

-- A fact may change its scope, and be archived: its document leaves the old owner, and the new owner's is queued.
create or replace function index_changed_fact() returns trigger language plpgsql as $$
begin
    if tg_op <> 'INSERT' and (
        tg_op = 'DELETE' or new.status <> 'ACTIVE' or old.being_id is distinct from new.being_id
    ) then
        perform memory.remove_from_search(coalesce(old.being_id, old.user_id), 'fact', array[old.fact_id]);
    end if;
    if tg_op <> 'DELETE' and new.status = 'ACTIVE' then
        perform memory.queue_for_search(coalesce(new.being_id, new.user_id), 'fact', array[new.fact_id]);
    end if;
    return null;
end $$;
create or replace trigger search_new_facts after insert or delete on facts
    for each row execute function index_changed_fact();
create or replace trigger search_changed_facts after update of content, status, being_id, entity_label on facts
    for each row when (
        old.content is distinct from new.content or old.status <> new.status
        or old.being_id is distinct from new.being_id or old.entity_label <> new.entity_label
    )
    execute function index_changed_fact();

create or replace function index_changed_summary() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' then
        -- The words of the version before, if there is one, stand again.
        perform memory.remove_from_search(old.being_id, 'summary', array[old.session_id]);
        if exists (
            select from memory.session_summaries where being_id = old.being_id and session_id = old.session_id
        ) then
            perform memory.queue_for_search(old.being_id, 'summary', array[old.session_id]);
        end if;
    else
        perform memory.queue_for_search(new.being_id, 'summary', array[new.session_id]);
    end if;
    return null;
end $$;
create or replace trigger search_summaries after insert or update or delete on session_summaries
    for each row execute function index_changed_summary();

-- The id under which the search knows a day of the diary, or a record of the vault.
create or replace function search_id(p_digits text) returns uuid language sql immutable strict
return lpad(p_digits, 32, '0')::uuid;

create or replace function index_changed_day() returns trigger language plpgsql as $$
begin
    if tg_op <> 'INSERT' then
        perform memory.remove_from_search(
            old.being_id, 'diary', array[memory.search_id(to_char(old.day, 'YYYYMMDD'))]
        );
    end if;
    if tg_op <> 'DELETE' then
        perform memory.queue_for_search(
            new.being_id, 'diary', array[memory.search_id(to_char(new.day, 'YYYYMMDD'))]
        );
    end if;
    return null;
end $$;
create or replace trigger search_diary after insert or update or delete on diary
    for each row execute function index_changed_day();

create or replace function index_changed_record() returns trigger language plpgsql as $$
begin
    if tg_op <> 'INSERT' then
        perform memory.remove_from_search(
            coalesce(old.being_id, old.user_id), 'vault', array[memory.search_id(old.id)]
        );
    end if;
    if tg_op <> 'DELETE' and new.live then
        perform memory.queue_for_search(
            coalesce(new.being_id, new.user_id), 'vault', array[memory.search_id(new.id)]
        );
    end if;
    return null;
end $$;
create or replace trigger search_vault after insert or update or delete on vault_heads
    for each row execute function index_changed_record();

-- Of notes only knowledge is indexed; scenes are found as the nodes they become.
create or replace function index_changed_knowledge() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' then
        perform memory.remove_from_search(old.being_id, 'knowledge', array[old.note_id]);
    elsif new.search_text = '' then
        perform memory.remove_from_search(new.being_id, 'knowledge', array[new.note_id]);
    else
        perform memory.queue_for_search(new.being_id, 'knowledge', array[new.note_id]);
    end if;
    return null;
end $$;
create or replace trigger search_new_knowledge after insert on notes
    for each row when (new.type = 'knowledge') execute function index_changed_knowledge();
create or replace trigger search_changed_knowledge after update of content, title, search_text on notes
    for each row when (
        new.type = 'knowledge' and (
            old.content <> new.content or old.title is distinct from new.title
            or old.search_text is distinct from new.search_text
        )
    )
    execute function index_changed_knowledge();
create or replace trigger search_gone_knowledge after delete on notes
    for each row when (old.type = 'knowledge') execute function index_changed_knowledge();
