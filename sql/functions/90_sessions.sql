-- Sessions: a conversation, closed after 30 idle minutes, whether by the clock or by its messages' own times.

-- Somebody else in the room: context, and evidence only about what they say of themselves.
create or replace view party_messages as select * from messages where role = 'other';

-- Puts a message into the session within 30 minutes of whose span its time falls, open or closed; where it falls near two,
-- the earlier takes it, and they stay apart. Else it opens a session. A session that it leaves 30 minutes behind ends.
-- INVARIANT  A session's span is from its first to its last message, and no gap within it is longer than 30 minutes.
-- LOCK       The Being's session state, so that two batches place their messages one after the other.
create or replace function place_message(p_being_id uuid, p_created_at timestamptz, p_counts boolean) returns uuid
language plpgsql as $$
declare
    v_idle constant interval := interval '30 minutes';
    v_session_id uuid;
begin
    update memory.sessions as s
    set started_at = least(s.started_at, p_created_at),
        last_activity_at = greatest(s.last_activity_at, p_created_at),
        ended_at = case when s.ended_at is not null then greatest(s.last_activity_at, p_created_at) end,
        turn_count = s.turn_count + p_counts::integer
    where s.being_id = p_being_id and s.session_id = (
        select near.session_id
        from memory.sessions as near
        where near.being_id = p_being_id and near.last_activity_at >= p_created_at - v_idle
            and near.started_at <= p_created_at + v_idle
        order by near.started_at, near.session_id
        limit 1
    )
    returning s.session_id into v_session_id;
    if v_session_id is null then
        insert into memory.sessions (being_id, started_at, last_activity_at, turn_count)
        values (p_being_id, p_created_at, p_created_at, p_counts::integer)
        returning session_id into v_session_id;
    end if;
    update memory.sessions
    set ended_at = last_activity_at
    where being_id = p_being_id and ended_at is null and last_activity_at < p_created_at - v_idle;
    return v_session_id;
end $$;

-- Keeps messages whose producer ids are new, oldest first, each in its session. Returns the ids of those that went in.
create or replace function keep_messages(p_being_id uuid, p_messages jsonb) returns setof uuid language plpgsql as $$
declare
    v_message record;
begin
    insert into memory.session_states (being_id) values (p_being_id) on conflict do nothing;
    perform 1 from memory.session_states where being_id = p_being_id for update;
    for v_message in
        select *
        from jsonb_to_recordset(p_messages) as new (
            message_id uuid, producer_id text, role text, speaker text, content text, metadata jsonb, content_hash text,
            created_at timestamptz
        )
        where producer_id is null or not exists (
            select from memory.messages as known
            where known.being_id = p_being_id and known.producer_id = new.producer_id
        )
        order by created_at, message_id
    loop
        insert into memory.messages
            (being_id, message_id, producer_id, session_id, role, speaker, content, metadata, content_hash, created_at)
        values (
            p_being_id, v_message.message_id, v_message.producer_id,
            memory.place_message(p_being_id, v_message.created_at, v_message.role <> 'other'),
            v_message.role, v_message.speaker, v_message.content, v_message.metadata,
            decode(v_message.content_hash, 'hex'), v_message.created_at
        );
        update memory.session_states
        set message_count = message_count + (v_message.role <> 'other')::integer,
            last_interaction = greatest(last_interaction, v_message.created_at)
        where being_id = p_being_id;
        return next v_message.message_id;
    end loop;
end $$;

-- Ends the sessions that have been idle for 30 minutes of the domain's time. Returns how many.
create or replace function end_idle_sessions(p_limit integer) returns integer language plpgsql as $$
declare
    v_ended integer;
begin
    update memory.sessions as s
    set ended_at = s.last_activity_at
    from (
        select being_id, session_id
        from memory.sessions
        where ended_at is null and last_activity_at < memory.now() - interval '30 minutes'
        order by last_activity_at
        limit p_limit
        for update skip locked
    ) as idle
    where s.being_id = idle.being_id and s.session_id = idle.session_id;
    get diagnostics v_ended = row_count;
    return v_ended;
end $$;
