"""Intake from Redis streams."""
