"""The route of the search over everything."""
