"""Facts, the entities that they name, and todos."""
