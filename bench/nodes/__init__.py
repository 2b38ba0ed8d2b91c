"""Benchmarks of embedding and of finding nodes."""
