"""Shared by all commands: options, output, errors, the connection to the ledger."""
