"""Model sessions of one unit of work: payers, budgets, stored answers, provider batches, encrypted keys."""
