"""A model provider on this machine that answers by fixed rules, for the demo, the benchmarks and the tests."""
