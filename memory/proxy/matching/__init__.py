"""Matches the turns of a transcript with the messages of a known conversation, and finds that conversation."""
