"""Routes of the vault."""
