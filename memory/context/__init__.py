"""Prompt contexts assembled from named regions."""
