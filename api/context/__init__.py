"""Routes of contexts and personas."""
