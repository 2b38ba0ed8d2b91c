"""Patrol runs and the statements of their steps."""
