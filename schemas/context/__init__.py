"""Contexts, process profiles, and the parts of a Being that people write."""
