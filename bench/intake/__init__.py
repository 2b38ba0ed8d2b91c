"""Benchmarks of what producers wait for."""
