"""The vault, and its records."""
