"""Imports that the processes of the HTTP server share: the process that forks them imports this once.

Attributes:
    app: The application. It opens nothing before its start, which is in the process that serves.
"""

from providers import embedding, tls
from schemas.settings import Settings
from workers.runtime import collector

with collector.paused():
    from api.app import server_app

    app = server_app()
    # For the proxy's connections to upstreams.
    tls.trusted()
    # With the first request, which may need it, each process would load it for itself.
    embedding.preload(Settings())
collector.keep_out_of_it()
