"""Conversations: judging of new messages, rolling and session summaries, and the user's spine."""
