-- afterwards
-- Knowledge that was handed in before the search found it. A new value of an enum can't be used in the transaction that adds it.
insert into search_queue (owner_id, stage, kind, item_id)
select being_id, 'words', 'knowledge', note_id from notes where type = 'knowledge'
on conflict do nothing;
