"""Work of the ledger."""
