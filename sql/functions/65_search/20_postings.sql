-- The postings of the documents, and the statistics over them (invariant 2 of 10_queue.sql).

-- The statistics' rows are locked first: they let one transaction at a time change the terms of an owner's kind.
create or replace function post_new_documents() returns trigger language plpgsql as $$
begin
    insert into memory.search_statistics as s (owner_id, kind, documents, terms)
    select owner_id, kind, count(*), sum(cardinality(terms)) from new_rows group by owner_id, kind
    order by owner_id, kind
    on conflict (owner_id, kind) do update
    set documents = s.documents + excluded.documents, terms = s.terms + excluded.terms;
    insert into memory.search_postings (owner_id, term, document_id, kind, times, length)
    select d.owner_id, held.term, d.document_id, d.kind, least(count(*), 32767)::smallint, cardinality(d.terms)
    from new_rows as d, unnest(d.terms) as held (term)
    group by d.owner_id, held.term, d.document_id, d.kind, cardinality(d.terms)
    order by d.owner_id, d.kind, held.term, d.document_id;
    insert into memory.search_terms as t (owner_id, kind, term, documents)
    select d.owner_id, d.kind, held.term, count(distinct d.document_id)
    from new_rows as d, unnest(d.terms) as held (term)
    group by d.owner_id, d.kind, held.term
    order by d.owner_id, d.kind, held.term
    on conflict (owner_id, kind, term) do update set documents = t.documents + excluded.documents;
    return null;
end $$;
create or replace trigger search_posted after insert on search_documents
    referencing new table as new_rows for each statement execute function post_new_documents();

-- An owner who is gone has no statistics any more, and no postings to look for.
create or replace function withdraw_gone_documents() returns trigger language plpgsql as $$
begin
    update memory.search_statistics as s
    set documents = s.documents - gone.documents, terms = s.terms - gone.terms
    from (
        select owner_id, kind, count(*) as documents, sum(cardinality(terms)) as terms from old_rows group by owner_id, kind
    ) as gone
    where s.owner_id = gone.owner_id and s.kind = gone.kind;
    delete from memory.search_postings as p
    using old_rows as d join memory.search_statistics as s on s.owner_id = d.owner_id and s.kind = d.kind,
        unnest(d.terms) as held (term)
    where p.owner_id = d.owner_id and p.kind = d.kind and p.term = held.term and p.document_id = d.document_id;
    update memory.search_terms as t
    set documents = t.documents - gone.documents
    from (
        select d.owner_id, d.kind, held.term, count(distinct d.document_id) as documents
        from old_rows as d join memory.search_statistics as s on s.owner_id = d.owner_id and s.kind = d.kind,
            unnest(d.terms) as held (term)
        group by d.owner_id, d.kind, held.term
    ) as gone
    where t.owner_id = gone.owner_id and t.kind = gone.kind and t.term = gone.term;
    -- A word that is in no document leaves no trace.
    delete from memory.search_terms as t
    using (select distinct d.owner_id, d.kind, held.term from old_rows as d, unnest(d.terms) as held (term)) as gone
    where t.owner_id = gone.owner_id and t.kind = gone.kind and t.term = gone.term and t.documents = 0;
    return null;
end $$;
create or replace trigger search_withdrawn after delete on search_documents
    referencing old table as old_rows for each statement execute function withdraw_gone_documents();

-- Other terms are both; triggers of one event fire in the order of their names.
create or replace trigger search_1_withdrawn after update on search_documents
    referencing old table as old_rows for each statement execute function withdraw_gone_documents();
create or replace trigger search_2_posted after update on search_documents
    referencing new table as new_rows for each statement execute function post_new_documents();

-- Removes the vectors of documents whose text has changed; the comment of take_told explains why no plan may read the whole
-- table.
create or replace function remove_vectors(p_owner_ids uuid[], p_kinds search_kind[], p_document_ids bigint[]) returns void
language sql set enable_seqscan = off as $$
    delete from memory.search_vectors
    where ctid = any(array(
        select v.ctid
        from unnest(p_owner_ids, p_kinds, p_document_ids) as changed (owner_id, kind, document_id)
        cross join lateral (
            select ctid from memory.search_vectors
            where owner_id = changed.owner_id and kind = changed.kind and document_id = changed.document_id
            for update
        ) as v
    ));
$$;

create or replace function remove_owner_from_search(p_owner_id uuid) returns void language plpgsql as $$
begin
    delete from memory.search_owners where owner_id = p_owner_id;
    delete from memory.search_queue where owner_id = p_owner_id;
    delete from memory.search_statistics where owner_id = p_owner_id;
    delete from memory.search_terms where owner_id = p_owner_id;
    delete from memory.search_postings where owner_id = p_owner_id;
    delete from memory.search_vectors where owner_id = p_owner_id;
    delete from memory.search_documents where owner_id = p_owner_id;
end $$;

-- Runs before an owner's rows are deleted one by one: then no posting of it is left to be looked for.
create or replace function forget_owner_in_search() returns trigger language plpgsql as $$
begin
    perform memory.remove_owner_from_search((to_jsonb(old) ->> tg_argv[0])::uuid);
    return old;
end $$;
create or replace trigger search_gone_beings before delete on beings
    for each row execute function forget_owner_in_search('being_id');
create or replace trigger search_gone_users before delete on users
    for each row execute function forget_owner_in_search('user_id');

-- The text of an item, and its own and its arrival time; no row where it is gone, or is not this owner's.
create or replace function told_item(p_user_id uuid, p_owner_id uuid, p_kind search_kind, p_item_id uuid)
returns table (content jsonb, feeling text, session_id uuid, said_at timestamptz, received_at timestamptz)
language sql stable as $$
    select to_jsonb(m.content), null, m.session_id, m.created_at, m.received_at
    from memory.messages as m
    where p_kind = 'message' and m.being_id = p_owner_id and m.message_id = p_item_id
    union all
    select n.scene, n.feeling, null, n.created_at, n.created_at
    from memory.memory_nodes as n
    where p_kind = 'node' and n.being_id = p_owner_id and n.node_id = p_item_id
    union all
    select to_jsonb(concat_ws(': ', f.entity_label, f.content)), null, null, f.last_told_at, f.created_at
    from memory.facts as f
    where p_kind = 'fact' and f.user_id = p_user_id and f.fact_id = p_item_id and f.status = 'ACTIVE'
        and coalesce(f.being_id, f.user_id) = p_owner_id
    union all
    select newest.*
    from (
        select s.content, null, null::uuid, o.started_at, s.created_at
        from memory.session_summaries as s
        join memory.sessions as o using (being_id, session_id)
        where p_kind = 'summary' and s.being_id = p_owner_id and s.session_id = p_item_id
        order by s.version desc
        limit 1
    ) as newest
    union all
    select to_jsonb(d.text), null, null, d.day::timestamp at time zone u.time_zone, d.written_at
    from memory.diary as d
    join memory.users as u on u.user_id = p_user_id
    where p_kind = 'diary' and d.being_id = p_owner_id and d.day = to_date(right(p_item_id::text, 8), 'YYYYMMDD')
    union all
    select to_jsonb(concat_ws(' ', r.text, r.category, r.topic_id)), null, null,
        coalesce(r.updated_at, r.created_at), coalesce(r.updated_at, r.created_at)
    from memory.vault_heads as h
    join memory.vault_records as r using (user_id, id, version)
    where p_kind = 'vault' and h.user_id = p_user_id and h.id = right(p_item_id::text, 12) and h.live
        and coalesce(h.being_id, h.user_id) = p_owner_id
    union all
    select to_jsonb(coalesce(o.search_text, concat_ws(E'\n', o.title, o.content #>> '{}'))), null, null,
        coalesce(o.updated_at, o.received_at), coalesce(o.updated_at, o.received_at)
    from memory.notes as o
    -- As text: the transaction that adds a value to an enum can't use it, and this body is read when it is created.
    where p_kind::text = 'knowledge' and o.being_id = p_owner_id and o.note_id = p_item_id and o.type = 'knowledge'
        and o.search_text is distinct from '';
$$;
