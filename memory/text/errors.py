"""Errors of requests that are invalid in themselves."""


class InvalidRequest(ValueError):
    """The request's parameters are invalid; the message says which and why."""
