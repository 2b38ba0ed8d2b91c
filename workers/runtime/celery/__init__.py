"""Celery for this project: its processes, how a worker takes messages, and what its events show."""
