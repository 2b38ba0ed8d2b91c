"""Which turns of a transcript are which messages of a conversation that is known, and which conversation that is."""
