"""How much one user, or all bulk requests, may take of this process at once."""
