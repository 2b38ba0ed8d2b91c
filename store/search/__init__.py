"""Search over a Being's messages, memories and facts: indexing, ranking, and passages for contexts."""
