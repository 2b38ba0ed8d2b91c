"""The material of contexts, and their provenance."""
