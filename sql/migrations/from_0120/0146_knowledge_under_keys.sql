-- Knowledge that programs keep under keys: a JSON object in a namespace, replaced by its key.
alter table notes
    -- Labels from the outermost to the innermost; by code points, so that what begins alike stands together.
    add column namespace text[] collate "C",
    add column key text collate "C",
    -- What searches find it by; null: its whole content, empty: nothing.
    add column search_text text,
    add check ((namespace is null) = (key is null)),
    add check (key is null or type = 'knowledge' and not in_snapshot);
create unique index notes_under_keys on notes (being_id, namespace, key) where key is not null;

drop index notes_kept;
create index notes_kept on notes (being_id) where state = 'kept' and key is null;
