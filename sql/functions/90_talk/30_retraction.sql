-- Messages that are taken out of the talk, for good (erased) or until they are restored (retracted), with all data
-- derived from them.
--
-- A version of a message is standing (in messages), retracted (in retracted_messages) or gone. A producer's id has at most one
-- standing version and any number of retracted ones, or it is awaited: retracted before any version arrived.
--
-- INVARIANT 1  Only messages that stand are in messages: no reader needs a condition to leave out the others.
-- INVARIANT 2  At every commit nothing rests on a message that does not stand, except evidence that is marked as outdated, and
--              whose own message waits to be judged again. Sessions and counts are those of the standing messages.
-- INVARIANT 3  A judgement is there while all messages that its calls showed stand; the messages of one that goes are judged
--              again. Their facts are kept until then, so that a pin or an id outlives a second finding.
-- LOCK ORDER   The Being's session state; messages; the user's facts (withdraw_messages alone).

-- All versions of messages that are kept: `retracted_at` is null where one stands.
create or replace view message_versions with (security_invoker = true) as
select being_id, message_id, producer_id, session_id, conversation, role, speaker, content, content_hash, created_at,
    null::timestamptz as retracted_at
from memory.messages
union all
select being_id, message_id, producer_id, null::uuid, conversation, role, speaker, content, content_hash, created_at, retracted_at
from memory.retracted_messages;

-- Retracts messages whose retraction was requested before they came. Returns their ids.
create or replace function keep_awaited(p_being_id uuid, p_messages jsonb) returns setof uuid language sql as $$
    with overtaken as (
        delete from memory.awaited_retractions as a
        using (
            select distinct on (producer_id) *
            from jsonb_populate_recordset(null::memory.new_message, p_messages)
            where exists (select from memory.awaited_retractions where being_id = p_being_id)
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

-- Takes messages off a Being's count, and looks for the latest message.
create or replace function count_again(p_being_id uuid, p_withdrawn integer) returns void language sql as $$
    update memory.session_states
    set message_count = message_count - p_withdrawn,
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
$$;

-- Whether a message waits in a session that has it judged: one of the user, or one of the Being, at the session's end.
create or replace function waits_for_judge(p_being_id uuid, p_session_id uuid) returns boolean language sql stable
return exists (
    select from memory.messages
    where being_id = p_being_id and session_id = p_session_id and not judged and role <> 'other'
);

-- Takes messages out of the talk and of all that was derived from them, after refuse_answers. Returns the sessions to process
-- again: those that lost messages, with how many of their messages are to be judged again, and those that were split off from
-- them.
create or replace function withdraw_messages(p_being_id uuid, p_message_ids uuid[])
returns table (session_id uuid, judged_again integer) language plpgsql as $$
#variable_conflict use_column
declare
    v_user_id constant uuid := (select user_id from memory.beings where being_id = p_being_id);
    v_sessions uuid[];
    v_again uuid[];
    v_turns integer;
    -- Whose copies of the utterances rest on the same judgements.
    v_roommates constant uuid[] := memory.roommates(p_being_id);
    v_led uuid[];
    v_unjudged uuid[];
    -- Kept in confidence by the request of a message that goes.
    v_asked_for constant uuid[] := array(
        select message_id from memory.confidences where being_id = p_being_id and asked_in = any(p_message_ids)
    );
begin
    perform memory.lock_session_state(p_being_id);
    perform memory.lock_facts(v_user_id);
    perform memory.forget_in_summaries(p_being_id, p_message_ids);

    with undone as (
        delete from memory.judgements
        where being_id = p_being_id
            and judgement_id = any(array(select memory.judgements_that_showed(p_being_id, p_message_ids)))
        returning judged_ids
    )
    select array_agg(id) into v_again
    from undone, unnest(judged_ids) as id
    where id <> all(p_message_ids);
    perform memory.unfold_withdrawn(v_user_id, p_being_id, p_message_ids || v_again);
    update memory.messages
    set judged = false, judging_error = null
    where being_id = p_being_id and message_id = any(v_again) and judged;
    update memory.fact_evidence set outdated = true where being_id = any(v_roommates) and message_id = any(v_again);
    update memory.todo_evidence set outdated = true where being_id = any(v_roommates) and message_id = any(v_again);

    with withdrawn as (
        delete from memory.messages
        where being_id = p_being_id and message_id = any(p_message_ids)
        returning session_id, role, message_id, follows, judged
    )
    select array_agg(distinct session_id), count(*) filter (where role <> 'other'),
        array_agg(message_id) filter (where not follows),
        array_agg(message_id) filter (where not judged and role <> 'assistant')
    into v_sessions, v_turns, v_led, v_unjudged
    from withdrawn;
    if cardinality(v_roommates) > 1 then
        perform memory.settle_utterances(v_user_id, v_led, null, coalesce(v_unjudged, '{}'));
    end if;
    v_sessions := v_sessions || memory.place_around(p_being_id, v_sessions);
    perform memory.settle_confidences(p_being_id, v_asked_for);

    select array_agg(m.message_id) into v_again
    from memory.messages as m
    where m.being_id = p_being_id and m.message_id = any(v_again);
    -- Nothing is judged in a session where others' messages alone wait; copies follow the one whose evidence goes.
    delete from memory.fact_evidence as e
    using memory.messages as m
    where e.being_id = any(v_roommates) and e.message_id = any(v_again) and e.outdated
        and m.being_id = p_being_id and m.message_id = e.message_id and not memory.waits_for_judge(m.being_id, m.session_id);
    delete from memory.todo_evidence as e
    using memory.messages as m
    where e.being_id = any(v_roommates) and e.message_id = any(v_again) and e.outdated
        and m.being_id = p_being_id and m.message_id = e.message_id and not memory.waits_for_judge(m.being_id, m.session_id);

    perform memory.count_again(p_being_id, v_turns);

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

-- Retracts standing messages. Their requests to the memory are undone; requests of erased messages stay done.
create or replace function retract_messages(p_being_id uuid, p_message_ids uuid[])
returns table (session_id uuid, judged_again integer) language plpgsql as $$
#variable_conflict use_column
declare
    v_sessions uuid[];
begin
    perform memory.lock_session_state(p_being_id);
    perform memory.lock_facts((select user_id from memory.beings where being_id = p_being_id));
    v_sessions := array(
        select memory.restore_asked(p_being_id, array(
            select request_id from memory.spoken_requests where being_id = p_being_id and message_id = any(p_message_ids)
        ))
    );
    insert into memory.retracted_messages
        (being_id, message_id, producer_id, conversation, role, speaker, content, metadata, content_hash, created_at,
        received_at, aged, confidence_decided)
    select being_id, message_id, producer_id, conversation, role, speaker, content, metadata, content_hash, created_at,
        received_at, aged,
        -- When it comes back it stays with the Being: its request may not be judged again, and `facts_known_to` may be another.
        coalesce(confidence_decided, nullif(in_confidence, false))
    from memory.messages
    where being_id = p_being_id and message_id = any(p_message_ids);
    return query
    with withdrawn as materialized (select * from memory.withdraw_messages(p_being_id, p_message_ids))
    select w.session_id, w.judged_again from withdrawn as w
    union all
    select other, 0 from unnest(v_sessions) as other where other not in (select w.session_id from withdrawn as w);
end $$;

-- Hands retracted messages in again: they come as new ones do, under their own ids, and sessions are as if they had never been
-- away. Of several versions of one message the one that was retracted last comes back, and none while another version stands.
-- Returns the messages that came back, in the order of their ids, and the sessions to process.
create or replace function restore_messages(
    p_being_id uuid, p_message_ids uuid[], out message_ids uuid[], out session_ids uuid[]
) language plpgsql as $$
#variable_conflict use_column
declare
    v_back jsonb;
    v_changed uuid[];
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
    message_ids := array(
        select kept_id from memory.keep_messages(p_being_id, coalesce(v_back, '[]'), null, null) order by kept_id
    );
    update memory.messages as m
    set aged = back.aged, confidence_decided = back.confidence_decided,
        in_confidence = coalesce(back.confidence_decided, m.in_confidence)
    from jsonb_to_recordset(v_back) as back (message_id uuid, aged boolean, confidence_decided boolean)
    where m.being_id = p_being_id and m.message_id = back.message_id
        and (back.aged or back.confidence_decided is not null);
    -- Among the messages near them they come where they came first.
    v_changed := memory.place_around(p_being_id, array(
        select m.session_id from memory.messages as m
        where m.being_id = p_being_id and m.message_id = any(restore_messages.message_ids)
    ));
    perform memory.count_again(p_being_id, 0);
    session_ids := array(
        select m.session_id from memory.messages as m
        where m.being_id = p_being_id and m.message_id = any(restore_messages.message_ids)
        union
        select s.session_id from memory.sessions as s
        where s.being_id = p_being_id and s.session_id = any(v_changed)
    );
end $$;
