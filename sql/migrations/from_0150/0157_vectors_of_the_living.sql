-- afterwards
-- The state of a row stands in the index, so that recall reads no vector of a dead node. Entries of one Being, model and
-- state stand in the order of the rows.
drop index node_vectors_of_model;
create index node_vectors_of_model on node_vectors (being_id, embedding_model, living, standing);
