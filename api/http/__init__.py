"""Shared by all routes: authentication, fair use, bodies, problems, paging, the request log."""
