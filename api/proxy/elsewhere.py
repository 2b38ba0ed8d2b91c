"""Requests under the proxy's base URL that it does not serve, refused in OpenAI's form, so that an SDK shows why."""

from http import HTTPStatus

from starlette.types import Receive, Scope, Send

from api.http.problems import Rejection
from api.proxy.errors import error_answer

SERVED = {"/openai/v1/chat/completions": "POST", "/openai/v1/models": "GET"}


class Elsewhere:
    """The route as an ASGI application."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Say what the proxy serves."""
        detail = (
            "This proxy serves POST /openai/v1/chat/completions and GET /openai/v1/models, and nothing else. Set your "
            "client to the Chat Completions API, and other features, such as embeddings, to their provider's base URL."
        )
        rejection = Rejection(HTTPStatus.NOT_FOUND, "not-found", detail)
        if (method := SERVED.get(scope["path"])) is not None:
            rejection = Rejection(HTTPStatus.METHOD_NOT_ALLOWED, "bad-request", detail, headers={"Allow": method})
        await error_answer(rejection, "chat")(scope, receive, send)
