"""The HTTP door: it reads what was asked, calls a use case of `memory`, and answers."""
