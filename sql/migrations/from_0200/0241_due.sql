-- What is due is noticed once: todos, promises and reminders whose time has come.

-- The time for which it was noticed; another time is noticed again.
alter table todos add column noticed_due_at timestamptz;
alter table notes add column noticed_due_at timestamptz;
-- What was due before this table existed is not noticed now, long after its time.
update todos set noticed_due_at = due_at where due_at <= memory.now();
update notes set noticed_due_at = due_at where type = 'reminder' and due_at <= memory.now();

create index todos_to_notice on todos (due_at)
    where status = 'OPEN' and due_at is not null and noticed_due_at is distinct from due_at;
create index notes_to_notice on notes (due_at)
    where type = 'reminder' and read_at is null and due_at is not null and noticed_due_at is distinct from due_at;
create index notes_by_due on notes (being_id, due_at) where type = 'reminder' and read_at is null and due_at is not null;

-- One row is one time that one todo or reminder was due. The ids of a Being's rows rise in the order of their commits, so that a
-- reader who has one has all before it.
create table due_notices (
    being_id uuid not null,
    notice_id uuid not null default uuidv7(),
    todo_id uuid,
    note_id uuid,
    due_at timestamptz not null,
    noticed_at timestamptz not null default memory.now(),
    -- When the user's webhook received it.
    delivered_at timestamptz,
    primary key (being_id, notice_id),
    unique nulls not distinct (being_id, todo_id, note_id, due_at),
    foreign key (being_id, todo_id) references todos on delete cascade,
    foreign key (being_id, note_id) references notes on delete cascade,
    check (num_nonnulls(todo_id, note_id) = 1)
);
create index due_notices_of_note on due_notices (being_id, note_id) where note_id is not null;
create index due_notices_by_age on due_notices (noticed_at);

-- A user's webhook: the address that receives what is due, and the secret that signs it, encrypted as provider keys are.
create table webhooks (
    user_id uuid primary key references users on delete cascade,
    url text not null,
    sealed bytea not null,
    created_at timestamptz not null default memory.now(),
    delivered_at timestamptz,
    failed_at timestamptz,
    -- Why the last delivery failed, in words that quote nothing.
    failure text
);
