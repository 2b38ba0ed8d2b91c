-- Sessions: talk of one conversation, closed after session_idle() without any, by the clock or by its messages' own times.

create or replace function session_idle() returns interval language sql immutable return interval '30 minutes';

-- Another speaker in the room: context, and evidence only of the speaker's statements about themselves.
create or replace view party_messages with (security_invoker = true) as select * from messages where role = 'other';

-- The seconds between the last message of the conversation's session before and a session's first; null: there is none before.
create or replace function pause_before(
    p_being_id uuid, p_conversation text, p_started_at timestamptz
) returns double precision language sql stable as $$
    select extract(epoch from p_started_at - last_activity_at)::double precision
    from memory.sessions
    where being_id = p_being_id and coalesce(conversation, '') = coalesce(p_conversation, '')
        and last_activity_at < p_started_at
    order by last_activity_at desc
    limit 1;
$$;

-- The conversation's sessions within session_idle() of the times p_first to p_last. Messages without a conversation are one
-- of their own.
-- Each of them began near that time, or ended near it, or lasted for longer than an hour: three short walks over indexes,
-- where one condition alone would have to pass every session since.
create or replace function sessions_near(
    p_being_id uuid, p_conversation text, p_first timestamptz, p_last timestamptz
) returns table (session_id uuid, started_at timestamptz, last_activity_at timestamptz) language sql stable as $$
    select session_id, started_at, last_activity_at from memory.sessions
    where being_id = p_being_id and conversation is not distinct from p_conversation
        and started_at between p_first - memory.session_idle() and p_last + memory.session_idle()
    union
    select session_id, started_at, last_activity_at from memory.sessions
    where being_id = p_being_id and conversation is not distinct from p_conversation
        and last_activity_at between p_first - memory.session_idle() and p_last + memory.session_idle()
    union
    select session_id, started_at, last_activity_at from memory.sessions
    where being_id = p_being_id and conversation is not distinct from p_conversation
        and last_activity_at > p_last + memory.session_idle() and started_at < p_first - memory.session_idle()
        and last_activity_at - started_at > interval '1 hour';
$$;

-- Puts messages with times from p_first to p_last, no gap between them longer than session_idle(), into the conversation's
-- session within that time of whose span p_first falls, open or closed; near two, the earlier takes them, and they stay apart.
-- Else they open a session. A session of the conversation that is left as far behind ends.
create or replace function place_messages(
    p_being_id uuid, p_conversation text, p_first timestamptz, p_last timestamptz, p_turns integer
) returns uuid language plpgsql as $$
declare
    v_session_id uuid;
begin
    update memory.sessions as s
    set started_at = least(s.started_at, p_first),
        last_activity_at = greatest(s.last_activity_at, p_last),
        ended_at = case when s.ended_at is not null then greatest(s.last_activity_at, p_last) end,
        turn_count = s.turn_count + p_turns,
        summary_due = true
    where s.being_id = p_being_id and s.session_id = (
        select near.session_id
        from memory.sessions_near(p_being_id, p_conversation, p_first, p_first) as near
        order by near.started_at, near.session_id
        limit 1
    )
    returning s.session_id into v_session_id;
    if v_session_id is null then
        insert into memory.sessions (being_id, conversation, started_at, last_activity_at, turn_count)
        values (p_being_id, p_conversation, p_first, p_last, p_turns)
        returning session_id into v_session_id;
    end if;
    update memory.sessions
    set ended_at = last_activity_at
    where being_id = p_being_id and conversation is not distinct from p_conversation
        and ended_at is null and last_activity_at < p_last - memory.session_idle();
    return v_session_id;
end $$;

-- Locks the Being's session state: intake, summaries, retraction and erasure of its messages go one after the other.
create or replace function lock_session_state(p_being_id uuid) returns void language plpgsql as $$
begin
    perform memory.hold_owner(p_being_id);
    perform memory.lock_muted_talk(p_being_id);
    insert into memory.session_states (being_id) values (p_being_id) on conflict do nothing;
    perform 1 from memory.session_states where being_id = p_being_id for update;
end $$;

-- Begins the intake of p_count messages: takes its first locks and reads the values that it needs, in one round trip. p_rolling
-- is the kind of work that rewrites rolling summaries. The ids are taken under the lock, so that they are in the order in which
-- transactions place messages.
-- LOCK       The Being's intake, shared; then the work of its rolling summary.
create or replace function begin_messages(
    p_being_id uuid, p_rolling text, p_count integer, p_platform boolean, p_refusal_holds interval
) returns table (
    began_at timestamptz, message_ids uuid[], may_think boolean, user_id uuid, key bytea, sealed boolean,
    off_the_record boolean, off_the_record_in text[]
) language plpgsql as $$
begin
    select k.user_id, k.key, k.sealed into user_id, key, sealed from memory.erasure_key_for_intake(p_being_id) as k;
    perform memory.reserve_work(p_being_id, p_rolling, '');
    began_at := memory.now();
    message_ids := array(select uuidv7() from generate_series(1, p_count));
    select memory.may_think(b.user_id, p_platform, p_refusal_holds), b.off_the_record, b.off_the_record_in
    into may_think, off_the_record, off_the_record_in
    from memory.beings as b
    where b.being_id = p_being_id;
    may_think := coalesce(may_think, false);
    return next;
end $$;

-- Whether a message may be a request that a frontend made for itself: it is found by search, and no fact, todo, scene or
-- summary rests on it. So it counts as judged from the beginning, and as passed over by the rolling summary and the spine.
create or replace function marked_unsure(p_metadata jsonb) returns boolean language sql immutable
return coalesce(p_metadata -> 'unsure' = 'true'::jsonb, false);

-- Keeps messages whose producer ids are new, each in its session. Returns those that were kept; one that is kept as
-- retracted has no session.
-- INVARIANT  A session's span is from its first to its last message, and no gap within it is longer than session_idle().
-- LOCK       The Being's session state, so that two batches place their messages one after the other.
-- Messages without a longer gap are placed as one stretch: the session that takes its first message takes all of it,
-- for an earlier session near a later message would be near the first as well.
-- A message whose retraction came before it is kept as retracted; one that is a retracted version is kept already.
-- All stretches are inserted by one statement, so that triggers of the table run once for a batch.
-- Rolling summaries pass over messages of ended sessions before the p_rolling_backlog newest messages, as pass_over
-- in store/talk/rolling.py does. Most of them are known here, and cost no update later. With null, nothing is passed over.
create or replace function keep_messages(
    p_being_id uuid, p_messages jsonb, p_request_key_id uuid, p_rolling_backlog integer
) returns table (kept_id uuid, kept_in uuid) language plpgsql as $$
declare
    v_new memory.new_message[];
    v_kept memory.new_message[];
    v_sessions uuid[];
    v_ended uuid[] := '{}';
    v_stretch record;
begin
    perform memory.lock_session_state(p_being_id);
    return query select awaited, null::uuid from memory.keep_awaited(p_being_id, p_messages) as awaited;
    v_new := array(select new from jsonb_populate_recordset(null::memory.new_message, p_messages) as new);
    for v_stretch in
        with fresh as (
            select (new.*)::memory.new_message as message, new.*,
                created_at - lag(created_at) over said > memory.session_idle() as apart
            from unnest(v_new) as new
            where not exists (
                select from memory.messages as known
                where known.being_id = p_being_id and known.producer_id = new.producer_id
            ) and not exists (
                select from memory.retracted_messages as known
                where known.being_id = p_being_id and known.producer_id = new.producer_id
                    and known.content_hash = decode(new.content_hash, 'hex')
            )
            window said as (partition by conversation order by created_at, message_id)
        ),
        numbered as (
            select *, count(*) filter (where apart) over (partition by conversation order by created_at, message_id) as stretch
            from fresh
        )
        select conversation, array_agg(message) as messages, count(*)::integer as size, min(created_at) as first,
            max(created_at) as last, count(*) filter (where role <> 'other')::integer as turns
        from numbered
        group by conversation, stretch
        order by first, conversation
    loop
        v_kept := v_kept || v_stretch.messages;
        v_sessions := v_sessions || array_fill(
            memory.place_messages(
                p_being_id, v_stretch.conversation, v_stretch.first, v_stretch.last, v_stretch.turns
            ),
            array[v_stretch.size]
        );
    end loop;
    if cardinality(v_kept) > p_rolling_backlog then
        v_ended := array(
            select session_id from memory.sessions
            where being_id = p_being_id and session_id = any(v_sessions) and ended_at is not null
        );
    end if;
    return query
    insert into memory.messages
        (being_id, message_id, producer_id, session_id, conversation, role, speaker, content, metadata, content_hash,
        created_at, request_key_id, in_confidence, judged, rolling_version, spine_version)
    select p_being_id, m.message_id, m.producer_id, m.session_id, m.conversation, m.role, m.speaker, m.content, m.metadata,
        decode(m.content_hash, 'hex'), m.created_at, p_request_key_id, memory.marked_confidential(m.metadata), m.unsure,
        case when m.unsure or m.role <> 'other' and m.newer > p_rolling_backlog and m.session_id = any(v_ended) then 0 end,
        case when m.unsure then 0 end
    from (
        select *, memory.marked_unsure(metadata) as unsure, count(*) filter (where role <> 'other') over (order by created_at desc, message_id desc) as newer
        from unnest(v_kept, v_sessions) as kept (
            message_id, producer_id, conversation, role, speaker, content, metadata, content_hash, created_at, session_id
        )
    ) as m
    returning message_id, session_id;
    update memory.session_states as s
    set message_count = s.message_count + said.turns,
        last_interaction = greatest(s.last_interaction, said.last),
        last_user_message = case
            when said.last_user_at < s.last_user_at or said.last_user_at is null then s.last_user_message
            else said.last_user_message
        end,
        last_user_at = greatest(s.last_user_at, said.last_user_at)
    from (
        select count(*) filter (where role <> 'other') as turns, max(created_at) as last,
            max(created_at) filter (where role = 'user') as last_user_at,
            left((array_agg(content order by created_at desc, message_id desc) filter (where role = 'user'))[1], 200)
                as last_user_message
        from unnest(v_kept)
    ) as said
    where s.being_id = p_being_id and said.last is not null;
end $$;

-- Ends the sessions that have been idle for session_idle() of the domain's time. Returns which.
create or replace function close_idle_sessions(p_limit integer) returns table (being_id uuid, session_id uuid)
language sql as $$
    update memory.sessions as s
    set ended_at = s.last_activity_at
    from (
        select being_id, session_id
        from memory.sessions
        where ended_at is null and last_activity_at < memory.now() - memory.session_idle()
        order by last_activity_at
        limit p_limit
        for update skip locked
    ) as idle
    where s.being_id = idle.being_id and s.session_id = idle.session_id
    returning s.being_id, s.session_id;
$$;

-- How many of the user's messages wait to be judged in each of these sessions, and since when none came in; sessions without
-- any are left out. In a session that has ended the Being's count too, and in one that waits for a key only those that came
-- with a live key of their own. To plan it takes longer than to run it, and each plan would be the same.
create or replace function count_unjudged(p_being_id uuid, p_session_ids uuid[])
returns table (session_id uuid, waiting integer, quiet_for interval, ended boolean)
language plpgsql stable set plan_cache_mode = force_generic_plan as $$
begin
    return query
    select s.session_id, count(*)::integer, memory.now() - max(said.received_at), bool_or(s.ended_at is not null)
    from (
        select m.session_id, m.received_at, m.request_key_id
        from memory.messages as m
        where m.being_id = p_being_id and m.session_id = any(p_session_ids) and not m.judged and m.role = 'user'
        union all
        select m.session_id, m.received_at, m.request_key_id
        from memory.sessions as e
        join memory.messages as m on m.being_id = e.being_id and m.session_id = e.session_id
        where e.being_id = p_being_id and e.session_id = any(p_session_ids)
            and e.ended_at is not null and not m.judged and m.role = 'assistant'
    ) as said
    join memory.sessions as s on s.being_id = p_being_id and s.session_id = said.session_id
    where not s.waits_for_key or memory.key_lives(p_being_id, said.request_key_id)
    group by s.session_id;
end $$;
