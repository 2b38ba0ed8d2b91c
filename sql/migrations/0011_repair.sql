-- A scene that could not be read stays until a model was asked, once, what was meant; nobody may be there to ask at first.
alter table notes add column repair_asked boolean not null default false;
create index notes_to_repair on notes (being_id, note_id) where state = 'parse_failed' and not repair_asked;
