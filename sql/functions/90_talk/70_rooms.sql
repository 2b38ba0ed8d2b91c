-- Rooms: conversations among several Beings of one user.
--
-- An utterance reaches each Being that is present: it is a message of each under the same id, a copy. A Being that is absent
-- has none.
--
-- INVARIANT 1  Of the standing copies of an utterance one does not follow. It is judged, and included in the user's spine, for
--              all of them; those that follow count as judged, and as passed over by that spine. Each that is in confidence is
--              included in its Being's own.
-- INVARIANT 2  A finding in an utterance is evidence in each copy whose Being heard the words that it rests on (share_*), so
--              that it outlives the other copies, and is known to each of these Beings if it is in confidence.
-- LOCK         The intake of the room, alone; then of its Beings each lock in the order of 05_locks.sql, by their ids.

-- The Beings among which utterances of a Being may have copies.
create or replace function roommates(p_being_id uuid) returns uuid[] language sql stable
return array(
    select near.being_id
    from memory.beings as b
    join memory.beings as near on near.user_id = b.user_id
    where b.being_id = p_being_id and (
        near.being_id = p_being_id or exists (select from memory.rooms as r where r.user_id = b.user_id)
    )
    order by near.being_id
);

-- Lets one copy of each utterance lead (invariant 1): the one that did, else one that is judged, that of the Being that spoke, or
-- that of the first Being. Copies of p_newcomer come last. Of p_unjudged no copy was judged: the copy that leads now waits for
-- it.
create or replace function settle_utterances(
    p_user_id uuid, p_message_ids uuid[], p_newcomer uuid default null, p_unjudged uuid[] default '{}'
) returns void language plpgsql as $$
begin
    with placed as (
        select m.being_id, m.message_id, m.follows,
            row_number() over (
                partition by m.message_id
                order by m.follows, m.being_id is not distinct from p_newcomer, m.judged desc, m.role <> 'assistant', m.being_id
            ) > 1 as follows_now
        from memory.beings as b
        join memory.messages as m on m.being_id = b.being_id
        where b.user_id = p_user_id and m.message_id = any(p_message_ids)
    ),
    changed as (
        update memory.messages as m
        set follows = p.follows_now,
            judged = p.follows_now or m.message_id <> all(p_unjudged),
            judging_error = case when p.follows_now or m.message_id <> all(p_unjudged) then m.judging_error end,
            spine_version = case
                when m.in_confidence then m.spine_version
                when p.follows_now or memory.marked_unsure(m.metadata) then coalesce(m.spine_version, 0)
            end
        from placed as p
        where m.being_id = p.being_id and m.message_id = p.message_id and p.follows <> p.follows_now
        returning m.being_id, m.session_id, m.judged
    )
    -- The sessions that wait for a key are looked through for work that can be done.
    update memory.sessions as s
    set waits_for_key = true
    from changed as c
    where s.being_id = c.being_id and s.session_id = c.session_id and not c.judged and not s.waits_for_key;
end $$;

-- Gives copies that follow evidence of the copy that leads: the pairs of a piece of evidence and a Being. Earlier evidence
-- of these utterances that is not found any more is removed.
create or replace function share_evidence(
    p_user_id uuid, p_message_ids uuid[], p_evidence_ids uuid[], p_being_ids uuid[]
) returns void language plpgsql as $$
begin
    perform memory.lock_facts(p_user_id);
    insert into memory.fact_evidence
        (user_id, statement_id, being_id, message_id, span, told_at, content, mentioned_refs, importance, confidence, about_from,
        about_until)
    select e.user_id, e.statement_id, m.being_id, e.message_id, e.span, e.told_at, e.content, e.mentioned_refs, e.importance,
        e.confidence, e.about_from, e.about_until
    from unnest(p_evidence_ids, p_being_ids) as pair (evidence_id, being_id)
    join memory.fact_evidence as e on e.user_id = p_user_id and e.evidence_id = pair.evidence_id
    join memory.messages as m on m.being_id = pair.being_id and m.message_id = e.message_id
    on conflict (user_id, statement_id, being_id, message_id) do update
    set outdated = false, span = excluded.span, content = excluded.content, mentioned_refs = excluded.mentioned_refs,
        importance = excluded.importance, confidence = excluded.confidence, about_from = excluded.about_from,
        about_until = excluded.about_until
    where fact_evidence.outdated;
    delete from memory.fact_evidence as e
    using memory.beings as b, memory.messages as m
    where b.user_id = p_user_id and e.being_id = b.being_id and e.message_id = any(p_message_ids) and e.outdated
        and m.being_id = e.being_id and m.message_id = e.message_id and m.follows;
end $$;

-- Keeps copies of an utterance in confidence as the one that leads is, for the reasons that their Being heard.
create or replace function share_confidences(p_user_id uuid, p_message_ids uuid[]) returns boolean language plpgsql as $$
declare
    v_copy record;
    v_moved boolean := false;
begin
    for v_copy in
        select m.being_id, array_agg(distinct m.message_id) as message_ids,
            array_agg(c.message_id) filter (where c.message_id is not null) as secret,
            array_agg(case when heard.message_id is null then c.message_id else c.asked_in end)
                filter (where c.message_id is not null) as asked_in
        from memory.beings as b
        join memory.messages as m on m.being_id = b.being_id and m.follows
        join memory.messages as leads on leads.being_id = any(memory.roommates(b.being_id)) and leads.message_id = m.message_id
            and not leads.follows
        left join memory.confidences as c on c.being_id = leads.being_id and c.message_id = leads.message_id
        left join memory.messages as heard on heard.being_id = m.being_id and heard.message_id = c.asked_in
        where b.user_id = p_user_id and m.message_id = any(p_message_ids)
        group by m.being_id
        order by m.being_id
    loop
        -- A request that it did not hear is its own copy's, and may be taken back.
        delete from memory.confidences
        where being_id = v_copy.being_id and message_id = any(v_copy.message_ids) and asked_in = message_id;
        v_moved := memory.keep_confidences(
            v_copy.being_id, v_copy.message_ids, coalesce(v_copy.secret, '{}'), coalesce(v_copy.asked_in, '{}')
        ) or v_moved;
    end loop;
    return v_moved;
end $$;
