"""Routes of Beings, provider keys, cost, export and erasure."""
