"""Reads what only all lines of a chat tell together: chats as plain text, and times in numbers alone."""
