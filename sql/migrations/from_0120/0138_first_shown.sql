-- When a context showed a piece of memory first. A message that had come in before is no echo of it.
alter table shown_texts add column first_shown_at timestamptz;
update shown_texts set first_shown_at = shown_at;
alter table shown_texts alter column first_shown_at set default memory.now(), alter column first_shown_at set not null;
