-- Import of a Being, and erasure that lasts.

-- One row is the file that a Being was created from: importing the same file again is recognised and changes nothing.
create table imports (
    being_id uuid primary key references beings on delete cascade,
    file_hash bytea not null,
    -- {kind of line: how many were taken}
    taken jsonb not null,
    -- Lines that were refused, by number and reason, without their content.
    rejected jsonb not null,
    imported_at timestamptz not null default memory.now()
);

-- One row is the key of a user's erasure digests, created with the user's first erasure; sealed with the platform's
-- secret where there is one.
create table erasure_keys (
    user_id uuid primary key references users on delete cascade,
    key bytea not null,
    sealed boolean not null,
    created_at timestamptz not null default clock_timestamp()
);

-- One row is one erased item as a keyed digest, from which neither words nor a producer's ids can be read. Intake
-- refuses an item with that digest.
create table erased_items (
    user_id uuid not null references users on delete cascade,
    erased_id uuid not null default uuidv7(),
    -- The Being that refuses the item; null: the shared scope of the vault.
    being_id uuid,
    digest bytea not null,
    erased_at timestamptz not null default memory.now(),
    primary key (user_id, erased_id),
    unique nulls not distinct (user_id, being_id, digest),
    foreign key (user_id, being_id) references beings (user_id, being_id) on delete cascade
);
