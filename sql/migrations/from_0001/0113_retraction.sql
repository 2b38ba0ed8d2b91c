-- Conversations of a producer, and messages that were taken back.

-- The producer's id of a chat or tab; null where it names none. A session is of one conversation.
alter table sessions add column conversation text;
alter table messages add column conversation text;
create index messages_of_conversation on messages (being_id, conversation, created_at, message_id)
    where conversation is not null;

-- One row is one version of a message that was taken back. Nothing but restoring reads it (sql/functions/92_retraction.sql).
create table retracted_messages (
    being_id uuid not null references beings on delete cascade,
    message_id uuid not null,
    -- Several versions of an edited message have the same one.
    producer_id text,
    conversation text,
    role text not null check (role in ('user', 'assistant', 'other')),
    speaker text,
    content text not null,
    metadata jsonb not null default '{}',
    content_hash bytea not null,
    created_at timestamptz not null,
    received_at timestamptz not null default memory.now(),
    retracted_at timestamptz not null default memory.now(),
    primary key (being_id, message_id)
);
create index retracted_messages_of_producer on retracted_messages (being_id, producer_id) where producer_id is not null;
create index retracted_messages_of_conversation on retracted_messages (being_id, conversation, created_at, message_id)
    where conversation is not null;
create index retracted_messages_by_age on retracted_messages (retracted_at);

-- One row is one producer's id that was retracted before its message arrived: the message is retracted when it does.
create table awaited_retractions (
    being_id uuid not null references beings on delete cascade,
    producer_id text not null,
    asked_at timestamptz not null default memory.now(),
    primary key (being_id, producer_id)
);
create index awaited_retractions_by_age on awaited_retractions (asked_at);

-- One row is one retraction or restoration that was applied, by the id under which it may be handed in again.
create table applied_retractions (
    being_id uuid not null references beings on delete cascade,
    request_id text not null,
    applied_at timestamptz not null default memory.now(),
    primary key (being_id, request_id)
);
create index applied_retractions_by_age on applied_retractions (applied_at);

alter table judgements
    -- The messages that the judgement is of, and all that its model calls showed; empty before this was recorded.
    add column judged_ids uuid[] not null default '{}',
    add column shown_ids uuid[] not null default '{}';
create index judgements_that_showed on judgements using gin (shown_ids);

-- Its message is to be judged again: then the evidence goes, unless it is found again.
alter table fact_evidence add column outdated boolean not null default false;
alter table todo_evidence add column outdated boolean not null default false;
create index fact_evidence_outdated on fact_evidence (being_id, message_id) where outdated;
create index todo_evidence_outdated on todo_evidence (being_id, message_id) where outdated;

-- A message as it is handed in, or back.
create type new_message as (
    message_id uuid, producer_id text, conversation text, role text, speaker text, content text, metadata jsonb,
    content_hash text, created_at timestamptz
);

-- A person has worded it: being told again leaves its words.
alter table todos add column corrected boolean not null default false;
