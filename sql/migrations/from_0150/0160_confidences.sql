-- Confidences belong to messages: each is kept with the message that asked for it, or with the decision of a person.

alter table messages
    -- Whether a person decided that it was said in confidence, or that it was not; null: there is no decision.
    add column confidence_decided boolean;
alter table retracted_messages add column confidence_decided boolean;
alter table todos add column in_confidence boolean not null default false;

-- One row is one request, found in the message asked_in, to keep a message in confidence: the same message or another.
create table confidences (
    being_id uuid not null,
    message_id uuid not null,
    asked_in uuid not null,
    primary key (being_id, message_id, asked_in),
    foreign key (being_id, message_id) references messages on delete cascade,
    foreign key (being_id, asked_in) references messages on delete cascade
);
create index confidences_asked on confidences (being_id, asked_in);

insert into confidences (being_id, message_id, asked_in)
select being_id, message_id, message_id from messages where in_confidence;
update messages set in_confidence = true
where not in_confidence and metadata -> 'in_confidence' not in ('false', 'null');
update todos as t set in_confidence = true
where exists (
    select
    from todo_evidence as e
    join messages as m using (being_id, message_id)
    where e.being_id = t.being_id and e.todo_id = t.todo_id and m.in_confidence
);
