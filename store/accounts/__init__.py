"""Users, Beings, tokens; export and erasure."""
