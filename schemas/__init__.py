"""Pydantic models of the wire, of rows and of model outputs, the settings, and constants. Imports no other package."""
