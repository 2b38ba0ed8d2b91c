"""What the HTTP server's connections are set to."""

import asyncio
import socket
from contextlib import suppress

import uvicorn

from api.http.connections import STATE, Connection, Connections
from schemas.settings import Settings


async def app(scope, receive, send):
    """Start and stop; answer no request."""
    if scope["type"] == "lifespan":
        scope["state"][STATE] = Connections(Settings())
        await receive()
        await send({"type": "lifespan.startup.complete"})
    await receive()


async def first_connection(shared):
    """Serve on a socket, and connect to it; returns the option that has small packets sent at once."""
    made = asyncio.get_running_loop().create_future()

    class Watched(Connection):
        """Tells what it is set to."""

        def connection_made(self, transport):
            """Tell it when the connection is made."""
            super().connection_made(transport)
            made.set_result(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    server = uvicorn.Server(uvicorn.Config(app, http=Watched, lifespan="on", log_config=None))
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    await server.lifespan.startup()
    await server.startup(sockets=[shared])
    _, writer = await asyncio.open_connection(*shared.getsockname())
    try:
        return await made
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        for each in server.servers:
            each.close()


def test_an_answer_does_not_wait_for_the_acknowledgement_of_its_head():
    # As uvicorn binds the socket that its processes share.
    with uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None).bind_socket() as shared:
        assert asyncio.run(first_connection(shared))
