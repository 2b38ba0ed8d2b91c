"""What is said: the wire, the rows, the settings. Pydantic models and plain constants, importing nothing of ours."""
