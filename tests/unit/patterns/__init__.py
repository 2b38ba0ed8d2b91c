"""Regular expressions of the product."""
