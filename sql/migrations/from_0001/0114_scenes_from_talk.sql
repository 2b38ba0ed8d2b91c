-- Scene notes that are drawn from messages.

alter table beings
    -- Whether scenes are drawn from this Being's talk; null: as the setting PATROL_SCENES says.
    add column scenes text check (scenes in ('auto', 'on', 'off'));

alter table notes
    -- Where the note comes from: a producer, a model that called the MCP tool `remember`, an import, or the messages of a
    -- session. Only a producer's own scenes keep `auto` from drawing scenes from the same time.
    add column origin text not null default 'producer' check (origin in ('producer', 'mcp', 'import', 'talk'));

-- The first date that a scene's `when` names, as text that sorts like the date; null if it names none.
create function scene_day(p_content jsonb) returns text language sql immutable parallel safe
return substring(
    case jsonb_typeof(p_content) when 'object' then p_content #>> '{when,0}' else p_content #>> '{}' end
    from '\d{4}-\d\d-\d\d'
);

create index notes_of_producer_by_arrival on notes (being_id, received_at) where type = 'scene' and origin = 'producer';
create index notes_of_producer_by_day on notes (being_id, scene_day(content))
    where type = 'scene' and origin = 'producer';

alter table messages
    -- A model was asked for the scenes of a part of the conversation that contains this message.
    add column drawn boolean not null default false;

-- One row is one message that a scene note of the origin `talk` rests on. A transaction that deletes the message removes the
-- note first (detach_scenes); the constraint, checked at the commit, fails a transaction that does not.
create table scene_messages (
    being_id uuid not null,
    note_id uuid not null,
    message_id uuid not null,
    primary key (being_id, note_id, message_id),
    foreign key (being_id, note_id) references notes on delete cascade,
    foreign key (being_id, message_id) references messages deferrable initially deferred
);
create index scene_messages_of_message on scene_messages (being_id, message_id);
