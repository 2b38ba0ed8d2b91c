"""Celery tasks: the use cases of `memory` that each kind of work performs, one file for each queue."""
