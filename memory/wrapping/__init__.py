"""Text that frontends wrap around the user's words in one line, and how it is told from them."""
