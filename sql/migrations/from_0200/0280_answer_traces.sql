-- What later requests may name an answer by, without its words.

-- One row is an id that an upstream gave to an answer or to an item of it, or words that an answer handed on to a tool, as a digest
-- with the Being's id as its key (memory/proxy/answer_traces.py).
create table answer_traces (
    being_id uuid not null references beings on delete cascade,
    digest bytea not null,
    -- Of an id: the conversation, and the answer's message, or without words of its own the message that it answers.
    conversation text,
    message_id uuid,
    -- How many tokens prompt and answer had, which a request that goes on from it may cost again.
    tokens bigint not null default 0,
    made_at timestamptz not null default memory.now(),
    primary key (being_id, digest)
);
create index answer_traces_by_age on answer_traces (made_at);
create index answer_traces_of_message on answer_traces (being_id, message_id) where message_id is not null;
