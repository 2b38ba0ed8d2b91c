"""Recognises erased items by keyed digests when they are handed in again."""
