"""Search over all items of a Being: indexing, ranking, and passages for contexts."""
