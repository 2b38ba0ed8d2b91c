"""Notes and messages of producers: as they are sent, and notes as they are stored."""
