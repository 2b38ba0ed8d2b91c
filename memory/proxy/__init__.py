"""The proxy's rules: how a transcript that a chat frontend resends is aligned with the conversation that is known."""
