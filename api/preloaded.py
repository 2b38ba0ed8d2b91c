"""What the processes of the HTTP server share: the process that forks them imports this once."""

from importlib import import_module

from providers import embedding
from schemas.settings import Settings
from workers.runtime import collector

with collector.paused():
    import_module("api.app")
    # With the first request, which may need it, each process would load it for itself.
    embedding.preload(Settings())
collector.keep_out_of_it()
