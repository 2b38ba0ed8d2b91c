"""Celery for this project: its processes, how a worker takes messages, and the content of its events."""
