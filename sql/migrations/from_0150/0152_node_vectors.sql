-- The vectors of nodes, apart from all that changes about a node: a row is written when the node is born, and again when its
-- words, its status or the Being's embedding model change. An exact scan reads nothing else.
create table node_vectors (
    being_id uuid not null references beings on delete cascade,
    node_id uuid not null,
    embedding_model text not null,
    -- What a scan asks about the node, so that it reads this table alone: whether it is not dead, and whether it is neither
    -- forgotten nor part of another.
    living boolean not null,
    standing boolean not null,
    vector halfvec storage plain not null,
    primary key (being_id, node_id),
    -- A trigger removes the vectors of removed nodes, after it has subtracted them from their clusters.
    foreign key (being_id, node_id) references memory_nodes deferrable initially deferred
);

insert into node_vectors (being_id, node_id, embedding_model, living, standing, vector)
select being_id, node_id, embedding_model, status <> 'dead', forgotten_at is null and absorbed_into is null, vector
from memory_nodes
-- Imported without vectors, and not embedded yet.
where embedding_model <> 'none yet';

drop index memory_nodes_by_text;
alter table memory_nodes drop column embedding_model, drop column vector;
create index memory_nodes_by_text on memory_nodes (being_id, text_hash);
