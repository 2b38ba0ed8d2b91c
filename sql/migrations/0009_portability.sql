-- What a Being was brought along with: one file at most, so that the same one again is known and changes nothing.
create table imports (
    being_id uuid primary key references beings on delete cascade,
    file_hash bytea not null,
    -- How many lines of each kind were taken.
    taken jsonb not null,
    -- Lines that were not, by number and reason, without their content.
    rejected jsonb not null,
    imported_at timestamptz not null default memory.now()
);
