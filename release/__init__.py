"""Builds the parts of a release from the commit alone: the same commit gives the same bytes."""
