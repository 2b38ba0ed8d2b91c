"""Users, Beings, tokens, and exports."""
