"""What becomes of a transcript and its answer: the changes of the conversation, and how they are stored."""
