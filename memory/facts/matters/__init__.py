"""Matters of which a person has one value at a time: which a fact is about, and which value replaces which."""
