"""The documents, and what draws their drawings."""
