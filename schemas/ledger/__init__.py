"""The ledger: the registry of kinds of work, and models of its rows."""
