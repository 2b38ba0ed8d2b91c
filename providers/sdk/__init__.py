"""Clients of models through the SDKs of their providers: thinkers, the embedder, and the meaning of their errors."""
