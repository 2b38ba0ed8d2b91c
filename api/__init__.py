"""The HTTP door: it reads what was asked, calls a use case of `memory`, rings for the work caused, and answers."""
