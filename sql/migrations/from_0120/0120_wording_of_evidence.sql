-- What each message said is kept with its evidence, so that a statement or a todo that loses a message loses its words as well.

alter table fact_evidence
    -- The statement as this message or seed made it. Null in folds, and in exports from before: the statement keeps its words.
    add column content text,
    add column mentioned_refs text[],
    add column importance smallint,
    add column confidence double precision;
update fact_evidence as e
set content = s.content, mentioned_refs = s.mentioned_refs, importance = s.importance, confidence = s.confidence
from fact_statements as s
join facts as f on f.user_id = s.user_id and f.fact_id = s.fact_id
where e.user_id = s.user_id and e.statement_id = s.statement_id and f.source <> 'curated_fold';

-- A person has weighed it: what was or will be told does not change its importance.
alter table fact_statements add column weighed boolean not null default false;

alter table todo_evidence
    -- The todo as this message made it. Null where it was not recorded, and where the message closes the todo.
    add column content text,
    add column due text;
update todo_evidence as e
set content = t.content, due = t.due
from todos as t
where e.being_id = t.being_id and e.todo_id = t.todo_id and not e.closes and not t.corrected;

-- A person has set when it is due.
alter table todos add column due_corrected boolean not null default false;
