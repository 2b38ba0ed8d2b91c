"""Processes: the Celery app, what runs a unit of work, the doorbell, and the servers that we bring ourselves."""
