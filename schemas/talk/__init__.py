"""Messages, sessions and their summaries."""
