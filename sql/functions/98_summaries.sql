-- The rolling summary, session summaries and spines.
--
-- INVARIANT  No summary outlives the messages that it was made from: withdrawing a message (erased or retracted) deletes every
--            version that took it in, and every later one. The latest messages are summarised again.
-- LOCK ORDER the Being's session state, as messages on their way in have it (keep_messages); messages; sessions.

-- Deletes the versions of spines that took in some of a Being's messages, and every later one: of the Being's own spine where a
-- message is in confidence, else of the one that all of the user's Beings see. The latest messages are summarised again.
create or replace function forget_in_spine(p_user_id uuid, p_being_id uuid, p_message_ids uuid[]) returns void
language plpgsql as $$
declare
    v_lately constant integer := 40;
    v_spine record;
begin
    for v_spine in
        -- Version 0 is none, as for the rolling summary below.
        select in_confidence as own, case when in_confidence then p_being_id end as scope, min(spine_version) as version
        from memory.messages
        where being_id = p_being_id and message_id = any(p_message_ids) and spine_version > 0
        group by in_confidence
    loop
        delete from memory.summary_spines
        where user_id = p_user_id and being_id is not distinct from v_spine.scope and version >= v_spine.version;
        update memory.messages
        set spine_version = null
        where (being_id, message_id) in (
            select m.being_id, m.message_id from memory.messages as m join memory.beings as b using (being_id)
            where b.user_id = p_user_id and b.being_id = coalesce(v_spine.scope, b.being_id)
                and m.in_confidence = v_spine.own and m.spine_version >= v_spine.version
            order by m.created_at desc, m.message_id desc limit v_lately
        );
    end loop;
end $$;

-- Takes messages that are about to be withdrawn out of all summaries. A transaction that adds a summary of them locks them as
-- well (keep_from_erasure), so that one of the two sees the other's changes.
create or replace function forget_in_summaries(p_being_id uuid, p_message_ids uuid[]) returns void language plpgsql as $$
declare
    v_lately constant integer := 40;
    v_user_id constant uuid := (select user_id from memory.beings where being_id = p_being_id);
    v_sessions uuid[];
    v_rolling integer;
begin
    perform memory.lock_session_state(p_being_id);
    perform 1 from memory.messages
    where being_id = p_being_id and message_id = any(p_message_ids)
    order by message_id
    for update;
    -- Version 0 is none: no summary has to be written again without a message that was passed over.
    select
        array_agg(distinct session_id),
        min(rolling_version) filter (where rolling_version > 0)
    into v_sessions, v_rolling
    from memory.messages
    where being_id = p_being_id and message_id = any(p_message_ids);

    delete from memory.session_summaries where being_id = p_being_id and session_id = any(v_sessions);
    delete from memory.session_impressions
    where being_id = p_being_id and (session_id = any(v_sessions) or message_ids && p_message_ids);
    update memory.sessions set summary_due = true where being_id = p_being_id and session_id = any(v_sessions);

    delete from memory.rolling_summaries where being_id = p_being_id and version >= v_rolling;
    update memory.messages
    set rolling_version = null
    where being_id = p_being_id and message_id in (
        select message_id from memory.messages
        where being_id = p_being_id and rolling_version >= v_rolling
        order by created_at desc, message_id desc limit v_lately
    );
    update memory.session_states
    set rolling_summary = (
            select content from memory.rolling_summaries where being_id = p_being_id order by version desc limit 1
        )
    where being_id = p_being_id;

    perform memory.forget_in_spine(v_user_id, p_being_id, p_message_ids);

    -- Stored model responses about them. Facts from them were shown for the user's own work, and where any of the user's
    -- Beings judged. They may have been in any session when it was summarised: later messages can place them in another.
    delete from memory.model_responses
    where owner_id = any(array(select being_id from memory.beings where user_id = v_user_id) || v_user_id) and not retained
        and (
            owner_id = v_user_id
            or kind = 'shadow.judge'
            or owner_id = p_being_id
                and kind in ('rolling.summarise', 'session_close.summarise', 'session_close.summarise_short')
        );
end $$;

-- Whether all of these messages exist, and with p_told none is muted; locks them until this transaction ends.
create or replace function keep_from_erasure(p_being_id uuid, p_message_ids uuid[], p_told boolean) returns boolean
language plpgsql as $$
declare
    v_there integer;
begin
    perform memory.hold_owner(p_being_id);
    perform 1 from memory.messages
    where being_id = p_being_id and message_id = any(p_message_ids)
    order by message_id
    for no key update;
    get diagnostics v_there = row_count;
    return v_there = cardinality(p_message_ids) and not (p_told and exists (
        select from memory.muted_items as x
        where x.owner_id = p_being_id and x.kind = 'message' and x.item_id = any(p_message_ids)
    ));
end $$;

-- INVARIANT  The view has no impression of a user, or of a Being's project or mood, that rests on a message which was withdrawn,
--            was not judged, or is muted. An impression on a message in confidence is seen by the Being that heard it alone (not
--            shared).
create or replace view seen_impressions with (security_invoker = true) as
select i.*, told.shared
from memory.session_impressions as i,
lateral (
    select count(*) as stand, bool_and(not m.in_confidence) as shared
    from memory.tellable_messages as m
    where m.being_id = i.being_id and m.message_id = any(i.message_ids)
        and m.role = 'user' and m.judged and m.judging_error is null
) as told
where cardinality(i.message_ids) = told.stand;
