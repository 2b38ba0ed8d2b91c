-- Which items a context showed, and why: for the question why something was in a prompt.
alter table receipts
    -- The ids of the memories and facts that it showed.
    add column shown_ids uuid[] not null default '{}',
    -- The ids by region, and the scores by which memories, passages and facts were chosen. Ids and numbers, no words.
    add column shown_reasons jsonb not null default '{}';
