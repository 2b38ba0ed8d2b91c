"""Commands that hand in notes and messages, and that read the Redis streams."""
