"""Rules and use cases of the memory. It knows no Celery and no HTTP, and writes no SQL.

A use case that causes work asks for it in its transaction; the store sends the messages after the commit.
"""
