"""The HTTP server: it reads a request, calls a use case of `memory`, and answers."""
