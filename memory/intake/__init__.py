"""Intake of notes and messages."""
