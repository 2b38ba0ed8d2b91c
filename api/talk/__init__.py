"""Routes of messages and sessions."""
