"""Routes of nodes, clusters and recall."""
