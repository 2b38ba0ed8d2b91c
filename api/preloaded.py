"""What the processes of the HTTP server share: the process that forks them imports this once."""

import gc

import api.app  # noqa: F401  # imported for its forks
from providers import embedding
from schemas.settings import Settings

# With the first request, which may need it, each process would import it for itself.
embedding.load_sdk(Settings())
# The garbage collector writes to each object that it visits, and so would copy the memory that the forks share.
gc.collect()
gc.freeze()
