"""Requests of users, in talk, to the companion's memory: to forget, to correct, not to remember."""
