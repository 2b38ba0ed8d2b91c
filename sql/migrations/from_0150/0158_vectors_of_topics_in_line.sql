-- afterwards
-- A row with an average of 1,536 numbers exceeds 2 kB, and Postgres then moves the average out of it, where a match fetched
-- it again for each node that was compared with it. `main` moves it only if the row would exceed a page.
alter table clusters alter column vector set storage main;

-- Rows from before: whatever sets the state computes the average anew.
update clusters set vector_state = vector_state where pg_column_toast_chunk_id(vector) is not null;
