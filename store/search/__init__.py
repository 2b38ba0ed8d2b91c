"""Search over everything that a Being was told: indexing, ranking, and passages for contexts."""
