"""Sentence encoders that run in this process, in numpy: the built-in all-MiniLM-L6-v2, or one from a directory."""
