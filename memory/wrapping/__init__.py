"""Separation of the user's words from text that frontends wrap around them in one line."""
