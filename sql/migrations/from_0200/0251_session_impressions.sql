-- What a closed session showed of the user as a person, and of what the Being is at: proposed by the model that summarised it.
-- An impression is seen while each message that it rests on stands, is judged, and is no confidence.
create table session_impressions (
    being_id uuid not null,
    session_id uuid not null,
    kind text not null check (kind in ('user-model', 'project', 'mood', 'topic')),
    place integer not null,
    content text not null check (content <> ''),
    message_ids uuid[] not null check (message_ids <> '{}'),
    -- When the newest of its messages was said.
    told_at timestamptz not null,
    primary key (being_id, session_id, kind, place),
    foreign key (being_id, session_id) references sessions on delete cascade
);
create index session_impressions_newest on session_impressions (being_id, kind, told_at desc);
