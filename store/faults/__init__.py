"""What faults of the database mean: the exceptions that stand for them, and what to tell its operator."""
