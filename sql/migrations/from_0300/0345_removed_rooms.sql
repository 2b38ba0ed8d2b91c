-- A removed room has no name and no Beings. Its id stays, since messages that were told there name it: what was said is found by it
-- in streams, and the copies of an utterance go on following one.
alter table rooms add column removed_at timestamptz;
