"""Commands of nodes, clusters and recall."""
