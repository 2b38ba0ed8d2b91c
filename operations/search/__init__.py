"""Searching messages, memories, facts, summaries, diary and knowledge."""
