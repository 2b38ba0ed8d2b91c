"""The Redis streams: entries that were rejected, and the removal of what is erased from all of them."""
