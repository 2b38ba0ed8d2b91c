"""What memory does: rules and use cases. It knows no Celery and no HTTP, and writes no SQL.

A use case that causes work returns what to ring for; the door or task that called it rings.
"""
