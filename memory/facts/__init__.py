"""Facts about the user: extraction, entities, reconciliation, retrieval, the curator."""
