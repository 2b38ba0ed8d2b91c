"""Memory nodes: scenes, embedding, recall, activation, curation, erasure, topics."""
