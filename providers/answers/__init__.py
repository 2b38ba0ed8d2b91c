"""Answers of models: the JSON in them, and its form, read leniently."""
