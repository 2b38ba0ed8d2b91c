"""The `patrol` command: the use cases of the other doors, for a user at a terminal."""
