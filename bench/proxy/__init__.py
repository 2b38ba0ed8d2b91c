"""Benchmarks of the proxy for chat completions."""
