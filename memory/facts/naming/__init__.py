"""Names of people and things: how alike two are, and which known entity a new reference means."""
