"""The headers with which a request brings a key for a model provider."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Header, Request
from starlette.concurrency import run_in_threadpool

from api.http.resources import On
from memory.accounts.access import Caller, Forbidden
from memory.llm import keys
from schemas.accounts.accounts import KeyText
from schemas.llm.calls import Provider


async def _request_key(
    request: Request,
    on: On,
    key: Annotated[
        KeyText | None,
        Header(
            alias="X-LLM-API-Key",
            description="Your own key for a model provider. Unless you have stored a key, it pays for thinking about"
            " what this request hands in, and about nothing that came without it. The model is also shown what the"
            " Being knows, so the token needs the scope `read`. The key is held encrypted for an hour, or as long as"
            " the server's settings say.",
        ),
    ] = None,
    provider: Annotated[
        Provider | None,
        Header(alias="X-LLM-Provider", description="The key's provider; needed if the key's prefix does not show it."),
    ] = None,
) -> UUID | None:
    if key is None:
        return None
    caller: Caller = request.state.caller
    if "read" not in caller.scopes:
        raise Forbidden(
            "X-LLM-API-Key needs a token with the scope `read`, because the model behind your key is shown what this"
            " Being knows. Send the request without the key, or with a token that may read."
        )
    provider = provider or on.thinkers.provider_of(key)
    return await run_in_threadpool(
        keys.store_request_key, on.store, on.settings, caller.user_id, provider, key, token_id=caller.token_id
    )


RequestKey = Annotated[UUID | None, Depends(_request_key)]
"""The id of the key that came with the request, if one did."""
