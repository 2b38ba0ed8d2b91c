"""Users and their Beings."""
