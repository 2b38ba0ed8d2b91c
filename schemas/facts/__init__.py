"""Facts: rows, requests, answers, and what the judge answers."""
