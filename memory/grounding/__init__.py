"""Whether the names, numbers and dates of a model's statement stand in its source texts, by value."""
