"""Reads exported files: their encoding, archives, and JSON as it comes, element by element."""
