"""The command of the search over everything."""
