"""Facts, entities and todos."""
