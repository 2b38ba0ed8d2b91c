"""Routes of facts and todos."""
