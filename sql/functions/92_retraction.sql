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

-- The conversation's sessions within 30 minutes of what was said from p_first to p_last, or of each other: all talk that one
-- message more or less may place otherwise.
create or replace function sessions_around(
    p_being_id uuid, p_conversation text, p_first timestamptz, p_last timestamptz
) returns uuid[] language plpgsql stable as $$
declare
    v_idle constant interval := interval '30 minutes';
    v_sessions uuid[];
    v_first timestamptz := p_first;
    v_last timestamptz := p_last;
begin
    loop
        -- Three walks over indexes, as in session_near.
        with began as (
            select session_id, started_at, last_activity_at from memory.sessions
            where being_id = p_being_id and conversation is not distinct from p_conversation
                and started_at between v_first - v_idle and v_last + v_idle
        ),
        ended as (
            select session_id, started_at, last_activity_at from memory.sessions
            where being_id = p_being_id and conversation is not distinct from p_conversation
                and last_activity_at between v_first - v_idle and v_last + v_idle
        ),
        lasted as (
            select session_id, started_at, last_activity_at from memory.sessions
            where being_id = p_being_id and conversation is not distinct from p_conversation
                and last_activity_at > v_last + v_idle and started_at < v_first - v_idle
                and last_activity_at - started_at > interval '1 hour'
        )
        select array_agg(distinct session_id), least(v_first, min(started_at)), greatest(v_last, max(last_activity_at))
        into v_sessions, p_first, p_last
        from (table began union all table ended union all table lasted) as near;
        exit when (p_first, p_last) = (v_first, v_last);
        v_first := p_first;
        v_last := p_last;
    end loop;
    return v_sessions;
end $$;

-- Places the messages of these sessions of one conversation as if they alone had come in, one by one in the order of their ids:
-- each into the session within 30 minutes of whose span it falls, of several the one that began first, else into a new one. So
-- sessions are a function of the standing messages (invariant 2). A session keeps its id while the message that opens it was in
-- it before. Returns the sessions whose messages are not those from before.
create or replace function place_again(p_being_id uuid, p_session_ids uuid[]) returns setof uuid language plpgsql as $$
#variable_conflict use_column
declare
    v_idle constant interval := interval '30 minutes';
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
            if v_message.created_at between v_firsts[i] - v_idle and v_lasts[i] + v_idle
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
            when s.ended_at >= placed.last or placed.last < memory.now() - v_idle and (
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
    delete from memory.model_responses
    where being_id = p_being_id and key = any(v_changed::text[]) and not retained;
    perform memory.queue_for_search(p_being_id, 'message', v_moved);
    -- In how many sessions a fact was told has changed.
    perform memory.settle_facts(s.user_id, array_agg(distinct s.fact_id))
    from memory.fact_evidence as e
    join memory.fact_statements as s on s.user_id = e.user_id and s.statement_id = e.statement_id
    where e.being_id = p_being_id and e.message_id = any(v_moved)
    group by s.user_id;
    return query select distinct id from unnest(v_changed) as id where id = any(v_ids);
end $$;

-- Places again what was said in and around each of these sessions. Returns the sessions whose messages are not those from before.
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

-- Takes messages off a Being's count, and looks for what was said last.
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

-- Takes messages out of the talk and of all that was derived from them, after refuse_answers. Returns the sessions to process again: those that lost
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
    perform memory.unfold_withdrawn(v_user_id, p_being_id, p_message_ids || v_again);
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
    -- Also of other sessions: a message may have been in one of them when that was judged.
    delete from memory.model_responses
    where being_id = p_being_id and not retained and (kind = 'shadow.judge' or key = any(v_sessions::text[]));
    v_sessions := v_sessions || memory.place_around(p_being_id, v_sessions);

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

-- Retracts standing messages.
create or replace function retract_messages(p_being_id uuid, p_message_ids uuid[])
returns table (session_id uuid, judged_again integer) language plpgsql as $$
begin
    insert into memory.retracted_messages
        (being_id, message_id, producer_id, conversation, role, speaker, content, metadata, content_hash, created_at,
        received_at, aged)
    select being_id, message_id, producer_id, conversation, role, speaker, content, metadata, content_hash, created_at,
        received_at, aged
    from memory.messages
    where being_id = p_being_id and message_id = any(p_message_ids);
    return query select * from memory.withdraw_messages(p_being_id, p_message_ids);
end $$;

-- Hands retracted messages in again: they come as new ones do, under their own ids, and sessions are as if they had never been
-- away. Of several versions of one message the one that was retracted last comes back, and none while another version stands.
-- Returns the messages that came back, and the sessions to process.
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
    message_ids := array(select kept_id from memory.keep_messages(p_being_id, coalesce(v_back, '[]'), null));
    update memory.messages as m set aged = true
    from jsonb_to_recordset(v_back) as back (message_id uuid, aged boolean)
    where m.being_id = p_being_id and m.message_id = back.message_id and back.aged;
    -- Among what was said near them they come where they came first.
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
