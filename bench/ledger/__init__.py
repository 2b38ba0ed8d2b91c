"""Benchmarks of workers: throughput and fairness, with real workers."""
