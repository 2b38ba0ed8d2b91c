"""Commands of users, Beings, tokens, keys, costs, export and erasure."""
