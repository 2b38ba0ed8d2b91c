-- What the search to the letter ranks by, for index-only scans: the rows themselves are wide with scenes and vectors.
create index memory_nodes_weights on memory_nodes (being_id, node_id) include (
    importance, session_count_base, final_session_count, pinned, status, forgotten_at, created_at
);
