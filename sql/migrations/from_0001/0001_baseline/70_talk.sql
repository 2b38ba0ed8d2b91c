-- Talk: messages in sessions, the outcome of judging them, and the summaries of them.

-- One row is a Being's running state over all of its sessions. Writers of the Being's messages lock it.
create table session_states (
    being_id uuid primary key references beings on delete cascade,
    -- Messages of the user and the assistant, over all sessions.
    message_count bigint not null default 0,
    last_interaction timestamptz,
    last_user_message text,
    last_user_at timestamptz,
    -- The newest version in rolling_summaries.
    rolling_summary text check (length(rolling_summary) <= 600),
    last_rolling_attempt_at timestamptz,
    last_rolling_success_at timestamptz,
    -- {"reason": ..., "detail": ...}, without content.
    last_rolling_error jsonb,
    -- No key can pay for the rolling summary: its work is not requested until one can.
    waits_for_key boolean not null default false
);
create index session_states_waiting on session_states (being_id) where waits_for_key;

-- One row is one conversation: messages without a gap of more than 30 minutes.
create table sessions (
    being_id uuid not null references beings on delete cascade,
    session_id uuid not null default uuidv7(),
    started_at timestamptz not null,
    last_activity_at timestamptz not null check (last_activity_at >= started_at),
    -- Set to last_activity_at when 30 idle minutes have passed; a late message extends it.
    ended_at timestamptz,
    turn_count integer not null default 0,
    -- A message was added or erased since a summary of the session was last requested.
    summary_due boolean not null default true,
    -- Set while the session waits to be summarised in one call with other short ones; each wait has a new value.
    deferral_id uuid,
    -- The joint call could not summarise the session: it gets a call of its own.
    summarise_alone boolean not null default false,
    -- Messages of the session wait for judging because no key can pay; the first usable key requests the work.
    waits_for_key boolean not null default false,
    -- The hash of the user model that a context of this session showed last; it is shown again when it has changed.
    shown_user_model_hash bytea,
    primary key (being_id, session_id)
);
create index sessions_by_time on sessions (being_id, last_activity_at);
create index sessions_by_start on sessions (being_id, started_at, session_id);
-- A late message looks for its session among those that began near it, ended near it, or span it.
create index sessions_long on sessions (being_id, last_activity_at)
    where last_activity_at - started_at > interval '1 hour';
create index sessions_open on sessions (last_activity_at) where ended_at is null;
create index sessions_waiting on sessions (being_id, session_id) where waits_for_key;
create index sessions_to_summarise on sessions (being_id, session_id) where summary_due and ended_at is not null;
create index sessions_deferred on sessions (being_id, deferral_id) where deferral_id is not null;

-- One row is one turn of a conversation.
create table messages (
    being_id uuid not null references beings on delete cascade,
    message_id uuid not null,
    -- The producer's id, which makes handing the message in idempotent.
    producer_id text,
    session_id uuid not null,
    role text not null check (role in ('user', 'assistant', 'other')),
    speaker text,
    content text not null,
    metadata jsonb not null default '{}',
    content_hash bytea not null,
    -- When it was said, as the producer states it.
    created_at timestamptz not null,
    received_at timestamptz not null default memory.now(),
    -- A mark on each message, never a watermark: transactions commit out of order.
    judged boolean not null default false,
    -- Why no model could judge the message, in words that quote none of it.
    judging_error text,
    in_confidence boolean not null default false,
    -- The version of the rolling summary, and of the spine, that took the message in; 0: it was passed over before the
    -- first version. Null: no version has taken it in.
    rolling_version integer,
    spine_version integer,
    -- As in notes.
    request_key_id uuid,
    primary key (being_id, message_id),
    foreign key (being_id, session_id) references sessions,
    check (judging_error is null or judged)
);
create unique index messages_once on messages (being_id, producer_id) where producer_id is not null;
create index messages_in_order on messages (being_id, session_id, created_at, message_id);
create index messages_unjudged on messages (being_id, session_id) where not judged and role = 'user';
create index messages_of_others_unjudged on messages (being_id, session_id) where not judged and role = 'other';
create index messages_of_others on messages (being_id, message_id) where role = 'other';
create index messages_not_in_rolling on messages (being_id, created_at, message_id)
    where rolling_version is null and role <> 'other';
-- A user's messages wait for the judge, which says which of them are confidential and stay out of the spine.
create index messages_not_in_spine on messages (being_id, created_at, message_id)
    where spine_version is null and role <> 'other' and (judged or role = 'assistant');

-- One row is the outcome of judging a portion of a session, in numbers; `dropped` counts what was refused, by reason.
create table judgements (
    being_id uuid not null references beings on delete cascade,
    judgement_id uuid not null default uuidv7(),
    session_id uuid not null,
    messages integer not null,
    facts integer not null,
    todos integer not null,
    dropped jsonb not null,
    judged_at timestamptz not null default memory.now(),
    primary key (being_id, judgement_id)
);

-- One row is one version of a session's structured summary; a late message leads to another version.
create table session_summaries (
    being_id uuid not null,
    session_id uuid not null,
    version integer not null,
    -- {"one_liner", "what_mattered", "open_loops", "commitments", "people", "tone"}
    content jsonb not null,
    turn_count integer not null,
    created_at timestamptz not null default memory.now(),
    primary key (being_id, session_id, version),
    foreign key (being_id, session_id) references sessions on delete cascade
);

-- One row is one version of a Being's rolling summary.
create table rolling_summaries (
    being_id uuid not null references beings on delete cascade,
    version integer not null,
    content text not null check (length(content) <= 600),
    message_count bigint not null,
    created_at timestamptz not null default memory.now(),
    primary key (being_id, version)
);

-- One row is one version of the summary over all conversations of a user, built without confidential messages.
create table summary_spines (
    user_id uuid not null references users on delete cascade,
    conversation_id text not null default 'default',
    version integer not null,
    -- {"PROFILE", "PROJECTS", "PEOPLE", "OPEN_LOOPS"}
    content jsonb not null,
    -- Messages since the version before.
    message_count integer not null,
    created_at timestamptz not null default memory.now(),
    primary key (user_id, conversation_id, version)
);
