"""Models of the OpenAI-compatible proxy."""
