"""Reads a request of the proxy: its chat's lines, their speakers, and whether a person made it."""
