-- Where messages stand in the transcripts of chat frontends.

-- One row is one version of a message that came in a transcript, or as the answer to one; the message itself is in messages, or in
-- retracted_messages. Its digest and its place are what a resent transcript is recognised by (memory/proxy/alignment.py).
create table transcript_turns (
    being_id uuid not null references beings on delete cascade,
    message_id uuid not null,
    conversation text not null,
    -- The message that it was said after; null: it is the first that is known of its conversation.
    parent_id uuid,
    -- Of the role and the text without white space and reasoning.
    digest bytea not null,
    primary key (being_id, message_id)
);
create index transcript_turns_by_digest on transcript_turns (being_id, digest, message_id);
create index transcript_turns_of_conversation on transcript_turns (being_id, conversation, message_id);
create index transcript_turns_after on transcript_turns (being_id, parent_id) where parent_id is not null;
