"""Material of the demo, the benchmarks and the tests: sample data, and a model that answers by rules."""
