"""Notes and messages: as producers send them, and notes as they are stored."""
