"""What the processes of the HTTP server share: the process that forks them imports this once."""

import gc

import api.app  # noqa: F401  # imported for its forks

# The garbage collector writes to each object that it visits, and so would copy the memory that the forks share.
gc.collect()
gc.freeze()
