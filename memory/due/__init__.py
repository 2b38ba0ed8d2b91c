"""Due things: listed, noticed once, and delivered to a user's webhook, so that a companion can speak first."""
