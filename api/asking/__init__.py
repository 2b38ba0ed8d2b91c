"""Answers to questions, streamed while the model writes them."""
