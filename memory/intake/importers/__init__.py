"""Imports from other programs: readers of their exports, and what is done with the entries."""
