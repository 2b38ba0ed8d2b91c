"""Makes the parts of the client that repeat the repository's openapi.json."""
