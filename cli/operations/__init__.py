"""Commands that run and inspect the system."""
