"""Memories: looked at, changed, recalled."""
