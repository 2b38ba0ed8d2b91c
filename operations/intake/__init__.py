"""What was handed in: notes, and knowledge under keys."""
