"""Reads forms that only all lines of a chat together decide: chats as plain text, and times in numbers alone."""
