"""Contexts, and who a Being is in them."""
