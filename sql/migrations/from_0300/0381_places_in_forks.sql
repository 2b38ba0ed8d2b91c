-- beside
-- One place of a message in each conversation, in place of one alone.

drop index concurrently if exists transcript_turns_places;
create unique index concurrently transcript_turns_places on transcript_turns (being_id, message_id, conversation);
alter table transcript_turns
    drop constraint transcript_turns_pkey,
    add constraint transcript_turns_pkey primary key using index transcript_turns_places;
