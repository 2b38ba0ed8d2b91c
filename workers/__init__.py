"""Processes: the Celery app and what runs a unit of work, the Redis streams, and the embedded servers."""
