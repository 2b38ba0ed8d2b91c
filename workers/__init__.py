"""Processes: the Celery app, the execution of units of work, the Redis streams, and the embedded servers."""
