"""Benchmarks of patrols, which must cost what changed."""
