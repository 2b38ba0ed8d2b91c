"""Benchmarks of the search: its speed and its quality."""
