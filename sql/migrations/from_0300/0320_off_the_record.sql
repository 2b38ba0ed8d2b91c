-- What is said off the record leaves no word.

-- Until further notice nothing is kept of what is said to a Being: of all its talk, or of some conversations.
alter table memory.beings
    add column off_the_record boolean not null default false,
    add column off_the_record_in text[] not null default '{}';

-- Turns of chats that the proxy passed on off the record: digests with the key of the user's erased items, by which later
-- transcripts that show them are recognised (memory/proxy/matching/unrecorded_turns.py).
create table memory.unrecorded_turns (
    being_id uuid not null references memory.beings on delete cascade,
    digest bytea not null,
    primary key (being_id, digest)
);
