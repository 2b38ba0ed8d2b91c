-- afterwards
-- Its entries for one Being and model are all equal, and stand in the order of the rows: a scan by this index reads the
-- table from its beginning to its end, wherever updates have moved a row.
create index node_vectors_of_model on node_vectors (being_id, embedding_model);
