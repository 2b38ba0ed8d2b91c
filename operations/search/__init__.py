"""Searching everything that was told."""
