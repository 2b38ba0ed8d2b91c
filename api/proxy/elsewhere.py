"""Paths under the proxy's base URL that it does not serve, refused in OpenAI's form, so that an SDK shows why."""

from http import HTTPStatus

from starlette.types import Receive, Scope, Send

from api.http.problems import Rejection
from api.proxy.errors import error_answer


class Elsewhere:
    """The route as an ASGI application."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Say what the proxy serves."""
        detail = (
            "This proxy serves POST /openai/v1/chat/completions and GET /openai/v1/models, and nothing else. Set your "
            "client to the Chat Completions API, and other features, such as embeddings, to their provider's base URL."
        )
        await error_answer(Rejection(HTTPStatus.NOT_FOUND, "not-found", detail))(scope, receive, send)
