"""What contexts are assembled from, and their provenance."""
