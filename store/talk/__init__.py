"""Messages, sessions and summaries."""
