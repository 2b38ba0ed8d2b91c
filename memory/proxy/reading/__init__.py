"""What a request shows of a chat: its lines, who speaks in them, and whether a person made it."""
