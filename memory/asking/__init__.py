"""Questions to the memory (DESIGN section 18): planned, looked for, answered by a model, and checked by code."""
