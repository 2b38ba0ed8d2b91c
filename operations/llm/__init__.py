"""Keys for models, and what models cost."""
