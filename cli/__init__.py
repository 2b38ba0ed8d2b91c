"""The `patrol` command: the same use cases as the other doors, for whoever sits at the terminal."""
