"""What the demo, the benchmarks and the tests play: sample data, and a model that answers by rules."""
