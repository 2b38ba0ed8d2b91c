"""Commands of facts, entities and todos."""
