-- A message has a place in each conversation whose transcripts show it: in the one that it came in, and in forks of it.

-- Whether the conversation has gone on past another version of the message, which stands while another conversation has it.
alter table transcript_turns add column abandoned boolean not null default false;
