"""Users and their Beings: access tokens, export, import, erasure."""
