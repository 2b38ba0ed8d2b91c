-- What summaries need beside where they are kept: which of them took each message in, and what is still to be summed up.

-- The version that took the message in, 0 where it was passed over before there was any. Null: it is still to be taken in.
alter table messages add column rolling_version integer, add column spine_version integer;
create index messages_unrolled on messages (being_id, created_at, message_id)
    where rolling_version is null and role <> 'other';
-- A user's words wait for the judge, who says which of them are not for others.
create index messages_unspun on messages (being_id, created_at, message_id)
    where spine_version is null and role <> 'other' and (judged or role = 'assistant');

alter table session_states
    add column last_user_at timestamptz,
    -- Nobody can think for this Being: nothing is asked for until somebody can.
    add column waits_for_key boolean not null default false;
create index session_states_waiting on session_states (being_id) where waits_for_key;
alter table fact_keeping add column spine_waits_for_key boolean not null default false;
create index fact_keeping_waiting on fact_keeping (user_id) where spine_waits_for_key;

-- Something was said, or is gone, since a summary of it was last asked for.
alter table sessions add column summary_due boolean not null default true;
create index sessions_to_sum_up on sessions (being_id, session_id) where summary_due and ended_at is not null;
