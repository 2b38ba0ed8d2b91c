"""Embedded Postgres and Redis servers, and the supervisor of child processes."""
