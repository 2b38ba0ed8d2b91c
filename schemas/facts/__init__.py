"""Facts: rows, requests, answers, and the judge's output schema."""
