"""Patrol runs, and the models of LLM answers to a patrol."""
