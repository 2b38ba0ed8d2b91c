-- The index of everything that was told.
--
-- INVARIANT 1  What is told is in search_queue (`words`), or in search_documents, from the transaction on that told it: triggers
--              of the tables that hold it see to that, so that no path of code can forget it.
-- INVARIANT 2  search_postings holds each term of each document once, and search_statistics and search_terms their numbers,
--              at every commit.
-- INVARIANT 3  A document goes in the transaction in which what it was made of goes.
-- LOCK ORDER   queue, documents, statistics, terms: each of them by one owner's indexing work, and by erasures.

-- What was told or changed waits for its words to be indexed; what it said before is found until then.
create or replace function queue_for_search(p_owner_id uuid, p_kind search_kind, p_item_ids uuid[]) returns void
language sql as $$
    insert into memory.search_queue as q (owner_id, stage, kind, item_id)
    select p_owner_id, 'words', p_kind, item_id from unnest(p_item_ids) as item_id
    order by item_id
    on conflict (owner_id, stage, kind, item_id) do update set queued_at = clock_timestamp();
$$;

-- The queue first: indexing that is under way takes its rows from there, and then finds them gone, or is found here.
create or replace function remove_from_search(p_owner_id uuid, p_kind search_kind, p_item_ids uuid[]) returns void
language plpgsql as $$
begin
    delete from memory.search_queue where owner_id = p_owner_id and kind = p_kind and item_id = any(p_item_ids);
    delete from memory.search_documents where owner_id = p_owner_id and kind = p_kind and item_id = any(p_item_ids);
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
declare
    v_gone record;
begin
    for v_gone in select being_id, array_agg(message_id) as ids from old_rows group by being_id
    loop
        perform memory.remove_from_search(v_gone.being_id, 'message', v_gone.ids);
    end loop;
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
declare
    v_gone record;
begin
    for v_gone in select being_id, array_agg(node_id) as ids from old_rows group by being_id
    loop
        perform memory.remove_from_search(v_gone.being_id, 'node', v_gone.ids);
    end loop;
    return null;
end $$;
create or replace trigger search_gone_nodes after delete on memory_nodes
    referencing old table as old_rows for each statement execute function remove_gone_nodes();

-- A fact may change its scope, and be archived: it leaves where it was, and is told where it is.
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

-- Of notes only knowledge is told; scenes are found as the memories they become.
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
    -- A word that is in no document any more leaves no trace.
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

-- Before what is the owner's goes row by row: then nothing of it is left to be looked for.
create or replace function forget_owner_in_search() returns trigger language plpgsql as $$
begin
    perform memory.remove_owner_from_search((to_jsonb(old) ->> tg_argv[0])::uuid);
    return old;
end $$;
create or replace trigger search_gone_beings before delete on beings
    for each row execute function forget_owner_in_search('being_id');
create or replace trigger search_gone_users before delete on users
    for each row execute function forget_owner_in_search('user_id');

-- What a thing that was told says, and when it was said and came in; no row where it is gone, or is not this owner's.
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

-- In how many documents of these kinds each term is.
create or replace function count_search_terms(p_owners uuid[], p_terms bigint[], p_kinds search_kind[])
returns table (term bigint, documents bigint) language sql stable as $$
    select asked.term, sum(t.documents)::bigint
    from unnest(p_terms) as asked (term), unnest(p_owners) as owner (owner_id), unnest(p_kinds) as of_kind (kind),
    memory.search_terms as t
    where t.owner_id = owner.owner_id and t.kind = of_kind.kind and t.term = asked.term
    group by asked.term;
$$;

-- The documents of these owners and kinds that hold one of these terms, best first by BM25 (Robertson and Zaragoza, "The
-- Probabilistic Relevance Framework", 2009), with the terms' rarities as given.
-- The leading terms, p_leading in number, nominate: each at most the p_most of its documents of an owner and kind that
-- came last. The others only add to the score of the p_kept documents that lead until then.
create or replace function rank_by_words(
    p_owners uuid[], p_terms bigint[], p_rarities double precision[], p_leading integer, p_kinds search_kind[],
    p_average double precision, p_saturation double precision, p_length_weight double precision,
    p_since timestamptz, p_until timestamptz, p_as_of timestamptz, p_most integer, p_kept integer, p_limit integer
) returns table (owner_id uuid, document_id bigint, score double precision) language sql stable as $$
    with nominated as materialized (
        select p.owner_id, p.document_id, p.kind, p.length,
            sum(asked.rarity * p.times * (p_saturation + 1)
                / (p.times + p_saturation * (1 - p_length_weight + p_length_weight * p.length / p_average))) as score
        from unnest(p_terms[:p_leading], p_rarities[:p_leading]) as asked (term, rarity),
            unnest(p_owners) as owner (owner_id), unnest(p_kinds) as of_kind (kind),
        lateral (
            select p.owner_id, p.document_id, p.kind, p.times, p.length
            from memory.search_postings as p
            where p.owner_id = owner.owner_id and p.kind = of_kind.kind and p.term = asked.term
                and (
                    p_since is null and p_until is null and p_as_of is null
                    or exists (
                        select
                        from memory.search_documents as d
                        where d.owner_id = p.owner_id and d.document_id = p.document_id
                            and (p_since is null or d.said_at >= p_since)
                            and (p_until is null or d.said_at < p_until)
                            and (p_as_of is null or d.arrived_at <= p_as_of)
                    )
                )
            order by p.document_id desc
            limit p_most
        ) as p
        group by p.owner_id, p.document_id, p.kind, p.length
        order by score desc, p.document_id desc
        limit p_kept
    )
    select l.owner_id, l.document_id, l.score + coalesce(others.score, 0) as score
    from nominated as l,
    lateral (
        select sum(asked.rarity * p.times * (p_saturation + 1)
            / (p.times + p_saturation * (1 - p_length_weight + p_length_weight * p.length / p_average))) as score
        from unnest(p_terms[p_leading + 1:], p_rarities[p_leading + 1:]) as asked (term, rarity)
        join memory.search_postings as p on p.owner_id = l.owner_id and p.kind = l.kind and p.term = asked.term
            and p.document_id = l.document_id
    ) as others
    order by score desc, l.document_id desc
    limit p_limit;
$$;

-- An owner's documents of these kinds whose vectors are nearest by inner product (they are of unit length), nearest first; a
-- long text is as near as the nearest of its windows. By the owner's own index if it has one, which may miss some; else all
-- are compared.
create or replace function nearest_told(
    p_owner_id uuid, p_model text, p_kinds search_kind[], p_since timestamptz, p_until timestamptz, p_as_of timestamptz,
    p_query halfvec, p_limit integer
) returns table (document_id bigint) language plpgsql stable
set hnsw.ef_search = 200 set hnsw.iterative_scan = 'strict_order' set enable_sort = off as $$
declare
    v_dimensions constant integer := vector_dims(p_query);
    v_indexed constant boolean := memory.has_vector_index('told', p_owner_id, p_model, v_dimensions);
    v_most integer := 2 * p_limit;
    v_windows bigint[];
    v_documents bigint[];
begin
    loop
        if v_indexed then
            execute format(
                $nearest$
                select array(
                    select v.document_id
                    from memory.search_vectors as v
                    where v.owner_id = %2$L and v.embedding_model = %3$L and vector_dims(v.vector) = %1$s
                        and v.kind = any($2)
                        and ($3 is null or v.said_at >= $3)
                        and ($4 is null or v.said_at < $4)
                        and ($5 is null or v.arrived_at <= $5)
                    order by v.vector::halfvec(%1$s) <#> $1::halfvec(%1$s)
                    limit $6
                )
                $nearest$,
                v_dimensions, p_owner_id, p_model
            ) into v_windows using p_query, p_kinds, p_since, p_until, p_as_of, v_most;
        else
            v_windows := array(
                select v.document_id
                from memory.search_vectors as v
                where v.owner_id = p_owner_id and v.embedding_model = p_model and v.kind = any(p_kinds)
                    and (p_since is null or v.said_at >= p_since)
                    and (p_until is null or v.said_at < p_until)
                    and (p_as_of is null or v.arrived_at <= p_as_of)
                order by v.vector <#> p_query
                limit v_most
            );
        end if;
        v_documents := array(
            select near.document_id
            from unnest(v_windows) with ordinality as near (document_id, place)
            group by near.document_id
            order by min(near.place)
            limit p_limit
        );
        -- A few long texts may own most of the nearest windows; then more of these are looked at.
        exit when cardinality(v_documents) = p_limit or cardinality(v_windows) < v_most;
        v_most := 4 * v_most;
    end loop;
    return query select unnest(v_documents);
end $$;
