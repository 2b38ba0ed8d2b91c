-- Messages that are taken out of the talk, for good (erased) or until they are restored (retracted), with everything that was
-- derived from them.
--
-- A version of a message is standing (in messages), retracted (in retracted_messages) or gone. A producer's id has at most one
-- standing version and any number of retracted ones, or it is awaited: retracted before any version arrived.
--
-- INVARIANT 1  Only messages that stand are in messages: no reader needs a condition to leave out the others.
-- INVARIANT 2  At every commit nothing rests on a message that does not stand, except evidence that is marked as outdated, and
--              whose own message waits to be judged again. Sessions and counts are what the standing messages make them.
-- INVARIANT 3  A judgement is there while all messages that its calls showed stand; the messages of one that goes are judged
--              again. What they tell is kept until then, so that a pin or an id outlives being told again.
-- LOCK ORDER   The Being's session state; messages; the user's facts (withdraw_messages alone).

-- Retracts messages whose retraction was asked for before they came. Returns their ids.
create or replace function keep_awaited(p_being_id uuid, p_messages jsonb) returns setof uuid language sql as $$
    with overtaken as (
        delete from memory.awaited_retractions as a
        using (
            select distinct on (producer_id) *
            from jsonb_populate_recordset(null::memory.new_message, p_messages)
            order by producer_id, message_id
        ) as new
        where a.being_id = p_being_id and a.producer_id = new.producer_id
        returning new.*
    )
    insert into memory.retracted_messages
        (being_id, message_id, producer_id, conversation, role, speaker, content, metadata, content_hash, created_at)
    select p_being_id, message_id, producer_id, conversation, role, speaker, content, metadata,
        decode(content_hash, 'hex'), created_at
    from overtaken
    returning message_id;
$$;

-- Places the messages of a session that lost some as if these had never been there, if that can make a difference: if there is
-- a gap within it, or another session near it that would have taken a message. Returns the other sessions that they went to.
create or replace function place_again(p_being_id uuid, p_session_id uuid) returns setof uuid language plpgsql as $$
#variable_conflict use_column
declare
    v_idle constant interval := interval '30 minutes';
    v_away constant timestamptz := '4000-01-01 BC';
    v_message record;
    v_reused boolean := false;
    v_session_id uuid;
begin
    if not exists (
        select
        from (
            select created_at - lag(created_at) over (order by created_at) as pause
            from memory.messages
            where being_id = p_being_id and session_id = p_session_id
        ) as said
        where pause > v_idle
    ) and not exists (
        select
        from memory.sessions as s
        join memory.sessions as near on near.being_id = s.being_id and near.session_id <> s.session_id
            and near.conversation is not distinct from s.conversation
            and near.started_at <= s.last_activity_at + v_idle and near.last_activity_at >= s.started_at - v_idle
        where s.being_id = p_being_id and s.session_id = p_session_id
    ) then
        return;
    end if;
    -- Out of the way of what is placed, until a message opens a session.
    update memory.sessions set started_at = v_away, last_activity_at = v_away, ended_at = v_away
    where being_id = p_being_id and session_id = p_session_id;
    for v_message in
        select * from memory.messages
        where being_id = p_being_id and session_id = p_session_id
        order by message_id
    loop
        if not v_reused
            and memory.session_near(p_being_id, v_message.conversation, v_message.created_at, v_idle) is null
        then
            v_reused := true;
            update memory.sessions
            set started_at = v_message.created_at, last_activity_at = v_message.created_at, ended_at = null,
                turn_count = (v_message.role <> 'other')::integer
            where being_id = p_being_id and session_id = p_session_id;
            continue;
        end if;
        v_session_id := memory.place_messages(
            p_being_id, v_message.conversation, v_message.created_at, v_message.created_at,
            (v_message.role <> 'other')::integer
        );
        continue when v_session_id = p_session_id;
        update memory.messages set session_id = v_session_id
        where being_id = p_being_id and message_id = v_message.message_id;
        perform memory.queue_for_search(p_being_id, 'message', array[v_message.message_id]);
        -- In how many sessions a fact was told has changed.
        perform memory.settle_facts(s.user_id, array_agg(distinct s.fact_id))
        from memory.fact_evidence as e
        join memory.fact_statements as s on s.user_id = e.user_id and s.statement_id = e.statement_id
        where e.being_id = p_being_id and e.message_id = v_message.message_id
        group by s.user_id;
        return next v_session_id;
    end loop;
    delete from memory.sessions where being_id = p_being_id and session_id = p_session_id and not v_reused;
end $$;

-- Whether a message waits in a session that has it judged: one of the user, or one of the Being, at the session's end.
create or replace function waits_for_judge(p_being_id uuid, p_session_id uuid) returns boolean language sql stable
return exists (
    select from memory.messages
    where being_id = p_being_id and session_id = p_session_id and not judged and role <> 'other'
);

-- Takes messages out of the talk and of all that was derived from them. Returns the sessions to process again: those that lost
-- messages, with how many of their messages are to be judged again, and those that were split off from them.
create or replace function withdraw_messages(p_being_id uuid, p_message_ids uuid[])
returns table (session_id uuid, judged_again integer) language plpgsql as $$
#variable_conflict use_column
declare
    v_user_id constant uuid := (select user_id from memory.beings where being_id = p_being_id);
    v_sessions uuid[];
    v_again uuid[];
    v_turns integer;
begin
    perform memory.lock_session_state(p_being_id);
    perform memory.lock_facts(v_user_id);
    perform memory.forget_in_summaries(p_being_id, p_message_ids);

    with undone as (
        delete from memory.judgements
        where being_id = p_being_id and shown_ids && p_message_ids
        returning judged_ids
    )
    select array_agg(id) into v_again
    from undone, unnest(judged_ids) as id
    where id <> all(p_message_ids);
    update memory.messages
    set judged = false, judging_error = null
    where being_id = p_being_id and message_id = any(v_again) and judged;
    update memory.fact_evidence set outdated = true where being_id = p_being_id and message_id = any(v_again);
    update memory.todo_evidence set outdated = true where being_id = p_being_id and message_id = any(v_again);

    with withdrawn as (
        delete from memory.messages
        where being_id = p_being_id and message_id = any(p_message_ids)
        returning session_id, role
    )
    select array_agg(distinct session_id), count(*) filter (where role <> 'other')
    into v_sessions, v_turns
    from withdrawn;
    delete from memory.model_responses
    where being_id = p_being_id and key = any(v_sessions::text[]) and not retained;
    delete from memory.sessions as s
    where s.being_id = p_being_id and s.session_id = any(v_sessions) and not exists (
        select from memory.messages as m where m.being_id = s.being_id and m.session_id = s.session_id
    );

    update memory.sessions as s
    set started_at = remaining.first, last_activity_at = remaining.last, turn_count = remaining.turns,
        ended_at = case when s.ended_at is not null then remaining.last end
    from (
        select session_id, min(created_at) as first, max(created_at) as last,
            count(*) filter (where role <> 'other') as turns
        from memory.messages
        where being_id = p_being_id and session_id = any(v_sessions)
        group by session_id
    ) as remaining
    where s.being_id = p_being_id and s.session_id = remaining.session_id;
    select v_sessions || array_agg(moved) into v_sessions
    from unnest(v_sessions) as lost (id), memory.place_again(p_being_id, lost.id) as moved;

    -- Nothing is judged in a session where others' messages alone wait.
    select array_agg(m.message_id) into v_again
    from memory.messages as m
    where m.being_id = p_being_id and m.message_id = any(v_again);
    delete from memory.fact_evidence as e
    using memory.messages as m
    where e.being_id = p_being_id and e.message_id = any(v_again) and m.being_id = e.being_id
        and m.message_id = e.message_id and not memory.waits_for_judge(m.being_id, m.session_id);
    delete from memory.todo_evidence as e
    using memory.messages as m
    where e.being_id = p_being_id and e.message_id = any(v_again) and m.being_id = e.being_id
        and m.message_id = e.message_id and not memory.waits_for_judge(m.being_id, m.session_id);

    update memory.session_states
    set message_count = message_count - v_turns,
        last_interaction = (select max(last_activity_at) from memory.sessions where being_id = p_being_id),
        (last_user_at, last_user_message) = (
            select said.created_at, said.content
            from (
                select session_id from memory.sessions
                where being_id = p_being_id
                order by last_activity_at desc limit 50
            ) as lately,
            lateral (
                select created_at, message_id, left(content, 200) as content
                from memory.messages as m
                where m.being_id = p_being_id and m.session_id = lately.session_id and m.role = 'user'
                order by created_at desc, message_id desc limit 1
            ) as said
            order by said.created_at desc, said.message_id desc
            limit 1
        )
    where being_id = p_being_id;

    return query
    select s.session_id, count(m.message_id) filter (where m.message_id = any(v_again))::integer
    from memory.sessions as s
    left join memory.messages as m on m.being_id = s.being_id and m.session_id = s.session_id
    where s.being_id = p_being_id and (s.session_id = any(v_sessions) or s.session_id in (
        select other.session_id from memory.messages as other
        where other.being_id = p_being_id and other.message_id = any(v_again)
    ))
    group by s.session_id;
end $$;

-- Retracts standing messages.
create or replace function retract_messages(p_being_id uuid, p_message_ids uuid[])
returns table (session_id uuid, judged_again integer) language plpgsql as $$
begin
    insert into memory.retracted_messages
        (being_id, message_id, producer_id, conversation, role, speaker, content, metadata, content_hash, created_at,
        received_at)
    select being_id, message_id, producer_id, conversation, role, speaker, content, metadata, content_hash, created_at,
        received_at
    from memory.messages
    where being_id = p_being_id and message_id = any(p_message_ids);
    return query select * from memory.withdraw_messages(p_being_id, p_message_ids);
end $$;

-- Hands retracted messages in again: they come as new ones do, under their own ids. Of several versions of one message the one
-- that was retracted last comes back, and none while another version stands. Returns the ids of those that came back.
create or replace function restore_messages(p_being_id uuid, p_message_ids uuid[]) returns setof uuid
language plpgsql as $$
declare
    v_back jsonb;
begin
    with chosen as (
        select distinct on (coalesce(producer_id, message_id::text), producer_id is null) message_id
        from memory.retracted_messages as r
        where being_id = p_being_id and message_id = any(p_message_ids) and not exists (
            select from memory.messages as m where m.being_id = r.being_id and m.producer_id = r.producer_id
        )
        order by coalesce(producer_id, message_id::text), producer_id is null, retracted_at desc, message_id desc
    ),
    back as (
        delete from memory.retracted_messages as r
        using chosen
        where r.being_id = p_being_id and r.message_id = chosen.message_id
        returning r.*
    )
    select jsonb_agg(to_jsonb(back) || jsonb_build_object('content_hash', encode(content_hash, 'hex'))) into v_back from back;
    return query select memory.keep_messages(p_being_id, coalesce(v_back, '[]'), null);
end $$;
