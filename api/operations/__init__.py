"""Routes of health, metrics and work."""
