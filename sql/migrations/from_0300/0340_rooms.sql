-- Rooms: conversations of several Beings of one user. What is said there is a message of each Being that was present, under the
-- same id, in the conversation that is called by the room's id (sql/functions/90_talk/70_rooms.sql).

-- One row is one room.
create table rooms (
    user_id uuid not null references users on delete cascade,
    room_id uuid not null default uuidv7(),
    slug text not null check (slug <> ''),
    name text not null check (name <> ''),
    -- Names of people beside the user who take part.
    people text[] not null default '{}',
    created_at timestamptz not null default memory.now(),
    primary key (user_id, room_id),
    unique (user_id, slug)
);
-- An entry of a stream names the room alone.
create index rooms_by_id on rooms (room_id);

-- One row is one Being that takes part in a room, and is present by default.
create table room_beings (
    user_id uuid not null,
    room_id uuid not null,
    being_id uuid not null references beings on delete cascade,
    primary key (user_id, room_id, being_id),
    foreign key (user_id, room_id) references rooms on delete cascade
);
create index room_beings_of_being on room_beings (being_id);

-- Whether the message of another Being under the same id is judged, and included in the spine, for this one.
alter table messages add column follows boolean not null default false;
