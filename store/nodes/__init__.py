"""Memory nodes, clusters and embeddings."""
