"""Patrols, and the diary that they write."""
