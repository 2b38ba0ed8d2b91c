"""The Redis streams: rejected entries, and the removal of erased items from all streams."""
