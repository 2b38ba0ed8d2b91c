"""The Celery app, the execution of a unit of work, leases, and the dispatch of messages."""
