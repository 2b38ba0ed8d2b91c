"""Validation and rendering of text."""
