"""Imports from other programs: readers of their exports, and the intake of the entries."""
