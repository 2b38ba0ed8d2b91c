"""What a user asks in talk of the companion's memory: to forget, to correct, not to remember."""
