-- What users ask in talk to be forgotten, corrected or not remembered, and what was done about it. One row is one effect of one
-- message: a fact or todo that was archived (`forgotten`), a fact that was corrected, or a message that supports nothing
-- (`ignored`). An effect that a person undid keeps its row, so that judging the message again does not repeat it.
create table spoken_requests (
    being_id uuid not null references beings on delete cascade,
    request_id uuid not null default uuidv7(),
    -- The user's message that asks.
    message_id uuid not null,
    span text not null,
    effect text not null check (effect in ('forgotten', 'corrected', 'ignored')),
    user_id uuid,
    fact_id uuid,
    todo_id uuid,
    meant_message_id uuid,
    done_at timestamptz not null default memory.now(),
    undone_at timestamptz,
    -- When a context told that it was done.
    told_at timestamptz,
    primary key (being_id, request_id),
    unique nulls not distinct (being_id, message_id, effect, fact_id, todo_id, meant_message_id),
    foreign key (being_id, message_id) references messages on delete cascade,
    foreign key (user_id, fact_id) references facts on delete cascade,
    foreign key (being_id, todo_id) references todos on delete cascade,
    foreign key (being_id, meant_message_id) references messages on delete cascade,
    check (num_nonnulls(fact_id, todo_id, meant_message_id) = 1 and (user_id is null) = (fact_id is null))
);
create index spoken_requests_of_fact on spoken_requests (user_id, fact_id) where fact_id is not null;
create index spoken_requests_of_todo on spoken_requests (being_id, todo_id) where todo_id is not null;
create index spoken_requests_of_meant on spoken_requests (being_id, meant_message_id) where meant_message_id is not null;
create index spoken_requests_untold on spoken_requests (being_id) where told_at is null and undone_at is null;
