"""Memory nodes, clusters, and recall."""
