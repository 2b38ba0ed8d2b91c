-- A text that is longer than an embedder reads has a vector for each of its windows, and vectors of one kind stand together.

-- The character of the text at which the window begins.
alter table search_vectors add column starts_at integer not null default 0;
alter table search_vectors drop constraint search_vectors_pkey;
alter table search_vectors add primary key (owner_id, embedding_model, kind, document_id, starts_at);

-- What may be longer gets its windows. 60 terms are well below the length of any model's window.
insert into search_queue (owner_id, stage, kind, item_id)
select owner_id, 'meaning', kind, item_id from search_documents where cardinality(terms) > 60
on conflict do nothing;
