"""Reads a request of the proxy: the lines of the chat in it, who speaks in them, and whether a person made it."""
