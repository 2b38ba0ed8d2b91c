"""Dumps of released schemas with data, and the command that makes one."""
