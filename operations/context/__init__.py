"""Contexts, and a Being's persona in them."""
