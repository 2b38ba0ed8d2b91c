"""The ledger of work, and its metrics."""
