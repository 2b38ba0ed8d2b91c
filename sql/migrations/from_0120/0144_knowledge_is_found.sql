-- Knowledge notes are found by the search, and may stay out of the snapshot.
alter type search_kind add value 'knowledge';

alter table notes
    -- Whether a knowledge note stands in the snapshot of every context.
    add column in_snapshot boolean not null default true,
    -- When its content was changed last.
    add column updated_at timestamptz;

drop index notes_knowledge;
create index notes_in_snapshot on notes (being_id, note_id) where type = 'knowledge' and in_snapshot;
