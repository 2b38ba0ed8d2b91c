-- One row is how many items of one model's answer, or of what was made of it, were dropped for one reason. It holds no
-- words of anyone: reasons are the program's own.
create table dropped_items (
    user_id uuid not null references users on delete cascade,
    being_id uuid references beings on delete cascade,
    owner_id uuid not null generated always as (coalesce(being_id, user_id)) stored,
    drop_id uuid not null default uuidv7(),
    purpose text not null,
    reason text not null,
    items integer not null check (items > 0),
    dropped_at timestamptz not null default memory.now(),
    primary key (owner_id, drop_id)
);
create index dropped_items_of_user on dropped_items (user_id);
create index dropped_items_of_being on dropped_items (being_id) where being_id is not null;
create index dropped_items_by_age on dropped_items (dropped_at);
