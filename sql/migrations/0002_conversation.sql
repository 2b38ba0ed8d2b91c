-- What was said: messages, in the sessions that their own times put them in.

create table session_states (
    being_id uuid primary key references beings on delete cascade,
    -- User and assistant messages, from session to session.
    message_count bigint not null default 0,
    last_interaction timestamptz
);

create table sessions (
    being_id uuid not null references beings on delete cascade,
    session_id uuid not null default uuidv7(),
    started_at timestamptz not null,
    last_activity_at timestamptz not null check (last_activity_at >= started_at),
    -- Set when 30 idle minutes have passed, to the time of the last message; a late one extends it.
    ended_at timestamptz,
    turn_count integer not null default 0,
    primary key (being_id, session_id)
);
create index sessions_by_time on sessions (being_id, last_activity_at);
create index sessions_open on sessions (last_activity_at) where ended_at is null;

create table messages (
    being_id uuid not null references beings on delete cascade,
    message_id uuid not null,
    producer_id text,
    session_id uuid not null,
    role text not null check (role in ('user', 'assistant', 'other')),
    speaker text,
    content text not null,
    metadata jsonb not null default '{}',
    content_hash bytea not null,
    created_at timestamptz not null,
    received_at timestamptz not null default memory.now(),
    -- A mark on each message, never a watermark: commits arrive out of order.
    judged boolean not null default false,
    primary key (being_id, message_id),
    foreign key (being_id, session_id) references sessions
);
create unique index messages_once on messages (being_id, producer_id) where producer_id is not null;
create index messages_in_order on messages (being_id, session_id, created_at, message_id);
create index messages_unjudged on messages (being_id, session_id) where not judged and role = 'user';
