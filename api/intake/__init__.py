"""Routes of notes."""
