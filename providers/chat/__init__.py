"""Chat completions that are passed on to upstreams, and read as they pass."""
