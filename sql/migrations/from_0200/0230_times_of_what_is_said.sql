-- When what was said takes place, as its expressions of time say it against the message's own date: half-open intervals.

-- Of a fact, as the newest statement that names a time has it; null: none of them does.
alter table fact_evidence add column about_from timestamptz, add column about_until timestamptz;
alter table facts add column about_from timestamptz, add column about_until timestamptz;

-- Of a todo: `due` holds the words. It is overdue from due_until on.
alter table todo_evidence add column due_at timestamptz, add column due_until timestamptz;
alter table todos add column due_at timestamptz, add column due_until timestamptz;
create index todos_open_by_due on todos (being_id, due_at) where status = 'OPEN' and due_at is not null;
create index todos_open_by_age on todos (last_told_at) where status = 'OPEN' and not pinned;
