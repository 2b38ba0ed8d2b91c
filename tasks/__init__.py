"""Celery tasks: thin shells around the use cases in `memory`, one file for each queue."""
