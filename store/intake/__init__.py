"""Notes as producers sent them."""
