"""Keys for models, and the cost of models."""
