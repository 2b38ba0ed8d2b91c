"""Commands of contexts and personas."""
