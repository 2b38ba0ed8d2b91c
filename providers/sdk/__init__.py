"""What speaks to models through the SDKs of their providers: thinkers, the embedder, and what their errors mean."""
