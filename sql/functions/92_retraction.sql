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

-- Whether a message of the user waits to be judged in a session.
create or replace function waits_for_judge(p_being_id uuid, p_session_id uuid) returns boolean language sql stable
return exists (
    select from memory.messages
    where being_id = p_being_id and session_id = p_session_id and not judged and role = 'user'
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
    v_facts uuid[];
    v_turns integer;
    v_stretch record;
    v_session_id uuid;
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

    -- What a message held together may have fallen apart: the first stretch keeps the session, the others are placed anew.
    for v_stretch in
        with said as (
            select m.*, created_at - lag(created_at) over told > interval '30 minutes' as apart
            from memory.messages as m
            where m.being_id = p_being_id and m.session_id = any(v_sessions)
            window told as (partition by m.session_id order by created_at, message_id)
        ),
        numbered as (
            select *, count(*) filter (where apart) over (partition by session_id order by created_at, message_id) as stretch
            from said
        )
        select session_id, stretch, conversation, array_agg(message_id) as message_ids, min(created_at) as first,
            max(created_at) as last, count(*) filter (where role <> 'other')::integer as turns
        from numbered
        group by session_id, stretch, conversation
        order by session_id, stretch
    loop
        if v_stretch.stretch = 0 then
            update memory.sessions as s
            set started_at = v_stretch.first, last_activity_at = v_stretch.last, turn_count = v_stretch.turns,
                ended_at = case when s.ended_at is not null then v_stretch.last end
            where s.being_id = p_being_id and s.session_id = v_stretch.session_id;
            continue;
        end if;
        v_session_id := memory.place_messages(
            p_being_id, v_stretch.conversation, v_stretch.first, v_stretch.last, v_stretch.turns
        );
        update memory.messages as m set session_id = v_session_id
        where m.being_id = p_being_id and m.message_id = any(v_stretch.message_ids);
        perform memory.queue_for_search(p_being_id, 'message', v_stretch.message_ids);
        v_sessions := v_sessions || v_session_id;
        -- In how many sessions a fact was told has changed.
        select array_agg(distinct s.fact_id) into v_facts
        from memory.fact_evidence as e join memory.fact_statements as s using (user_id, statement_id)
        where e.being_id = p_being_id and e.message_id = any(v_stretch.message_ids);
        perform memory.settle_facts(v_user_id, v_facts);
    end loop;

    -- Nothing is judged in a session where no message of the user waits.
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
