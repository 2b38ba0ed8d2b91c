"""Answers to questions, told as they come."""
