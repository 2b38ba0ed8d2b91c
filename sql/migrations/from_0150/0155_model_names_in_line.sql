-- afterwards
-- A row with a vector of 1,536 numbers exceeds 2 kB, and Postgres then moves texts of more than 24 bytes out of it: names of
-- models, which a scan fetched again for each vector that it compared.
alter table embeddings alter column embedding_model set storage plain;
alter table node_vectors alter column embedding_model set storage plain;
alter table search_vectors alter column embedding_model set storage plain;
alter table fact_vectors alter column embedding_model set storage plain;

-- Of the tables that are scanned, rows from before; those of `embeddings` are looked up by their key.
update node_vectors set embedding_model = embedding_model || ''
where pg_column_toast_chunk_id(embedding_model) is not null;
update search_vectors set embedding_model = embedding_model || ''
where pg_column_toast_chunk_id(embedding_model) is not null;
update fact_vectors set embedding_model = embedding_model || ''
where pg_column_toast_chunk_id(embedding_model) is not null;
