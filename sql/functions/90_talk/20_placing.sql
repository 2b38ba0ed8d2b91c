-- Places messages in sessions again, after some of them were taken out or came back.
-- LOCK ORDER   As 30_retraction.sql.

-- The conversation's sessions within session_idle() of the times p_first to p_last, or of each other: all talk that
-- one message more or less may place otherwise.
create or replace function sessions_around(
    p_being_id uuid, p_conversation text, p_first timestamptz, p_last timestamptz
) returns uuid[] language plpgsql stable as $$
declare
    v_sessions uuid[];
    v_first timestamptz := p_first;
    v_last timestamptz := p_last;
begin
    loop
        select array_agg(near.session_id), least(v_first, min(near.started_at)), greatest(v_last, max(near.last_activity_at))
        into v_sessions, p_first, p_last
        from memory.sessions_near(p_being_id, p_conversation, v_first, v_last) as near;
        exit when (p_first, p_last) = (v_first, v_last);
        v_first := p_first;
        v_last := p_last;
    end loop;
    return v_sessions;
end $$;

-- Places the messages of these sessions of one conversation as if they alone had come in, one by one in the order of their ids:
-- each into the session within session_idle() of whose span it falls, of several the one that began first, else into a new one.
-- So sessions are a function of the standing messages (invariant 2). A session keeps its id while the message that opens it was
-- in it before. Returns the sessions whose messages are not those from before.
create or replace function place_again(p_being_id uuid, p_session_ids uuid[]) returns setof uuid language plpgsql as $$
#variable_conflict use_column
declare
    v_message record;
    v_conversation text;
    v_firsts timestamptz[] := '{}';
    v_lasts timestamptz[] := '{}';
    v_ids uuid[] := '{}';
    v_messages uuid[] := '{}';
    v_places integer[] := '{}';
    v_place integer;
    v_moved uuid[];
    v_changed uuid[];
begin
    for v_message in
        select message_id, conversation, session_id, created_at
        from memory.messages
        where being_id = p_being_id and session_id = any(p_session_ids)
        order by message_id
    loop
        v_conversation := v_message.conversation;
        v_place := null;
        for i in 1 .. cardinality(v_ids) loop
            if v_message.created_at between v_firsts[i] - memory.session_idle() and v_lasts[i] + memory.session_idle()
                and (v_place is null or v_firsts[i] < v_firsts[v_place])
            then
                v_place := i;
            end if;
        end loop;
        if v_place is null then
            v_place := cardinality(v_ids) + 1;
            v_firsts[v_place] := v_message.created_at;
            v_lasts[v_place] := v_message.created_at;
            v_ids[v_place] := case when v_message.session_id = any(v_ids) then uuidv7() else v_message.session_id end;
        else
            v_firsts[v_place] := least(v_firsts[v_place], v_message.created_at);
            v_lasts[v_place] := greatest(v_lasts[v_place], v_message.created_at);
        end if;
        v_messages := v_messages || v_message.message_id;
        v_places := v_places || v_place;
    end loop;

    insert into memory.sessions (being_id, session_id, conversation, started_at, last_activity_at)
    select p_being_id, id, v_conversation, first, last
    from unnest(v_ids, v_firsts, v_lasts) as placed (id, first, last)
    where id <> all(p_session_ids);
    with placed as (
        select id, v_ids[place] as session_id from unnest(v_messages, v_places) as each (id, place)
    ),
    moved as (
        update memory.messages as m
        set session_id = placed.session_id
        from placed, memory.messages as former
        where m.being_id = p_being_id and m.message_id = placed.id and m.session_id <> placed.session_id
            and former.being_id = m.being_id and former.message_id = m.message_id
        returning m.message_id, m.session_id, former.session_id as former_id
    )
    select array_agg(distinct message_id), array_agg(distinct session_id) || array_agg(distinct former_id)
    into v_moved, v_changed
    from moved;
    update memory.sessions as s
    set started_at = placed.first, last_activity_at = placed.last, turn_count = real.turns,
        ended_at = case
            when s.ended_at >= placed.last or placed.last < memory.now() - memory.session_idle() and (
                s.ended_at is not null or s.session_id <> all(p_session_ids)
            )
            then placed.last
        end
    from unnest(v_ids, v_firsts, v_lasts) as placed (id, first, last),
    lateral (
        select count(*) filter (where role <> 'other') as turns
        from memory.messages
        where being_id = p_being_id and session_id = placed.id
    ) as real
    where s.being_id = p_being_id and s.session_id = placed.id
        and (s.started_at, s.last_activity_at, s.turn_count) is distinct from (placed.first, placed.last, real.turns);
    delete from memory.sessions
    where being_id = p_being_id and session_id = any(p_session_ids) and session_id <> all(v_ids);

    update memory.sessions set summary_due = true where being_id = p_being_id and session_id = any(v_changed);
    delete from memory.session_summaries where being_id = p_being_id and session_id = any(v_changed);
    delete from memory.session_impressions where being_id = p_being_id and session_id = any(v_changed);
    delete from memory.model_responses
    where being_id = p_being_id and key = any(v_changed::text[]) and not retained;
    perform memory.queue_for_search(p_being_id, 'message', v_moved);
    -- The number of sessions in which a fact was told has changed.
    perform memory.settle_facts(s.user_id, array_agg(distinct s.fact_id))
    from memory.fact_evidence as e
    join memory.fact_statements as s on s.user_id = e.user_id and s.statement_id = e.statement_id
    where e.being_id = p_being_id and e.message_id = any(v_moved)
    group by s.user_id;
    return query select distinct id from unnest(v_changed) as id where id = any(v_ids);
end $$;

-- Places the messages in and around each of these sessions again. Returns the sessions whose messages are not those from before.
create or replace function place_around(p_being_id uuid, p_session_ids uuid[]) returns uuid[] language plpgsql as $$
declare
    v_stretch record;
    v_changed uuid[] := '{}';
begin
    for v_stretch in
        select conversation, started_at, last_activity_at
        from memory.sessions
        where being_id = p_being_id and session_id = any(p_session_ids)
        order by started_at
    loop
        v_changed := v_changed || array(
            select memory.place_again(p_being_id, memory.sessions_around(
                p_being_id, v_stretch.conversation, v_stretch.started_at, v_stretch.last_activity_at
            ))
        );
    end loop;
    return v_changed;
end $$;
