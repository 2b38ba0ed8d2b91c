"""Client libraries, which are distributions of their own, and the generator of what in them repeats openapi.json."""
