"""The meaning of the database's faults: the exceptions that stand for them, and the words for its operator."""
