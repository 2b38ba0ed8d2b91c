"""The OpenAI-compatible proxy: chat completions and models."""
