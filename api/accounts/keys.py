"""Routes of stored provider keys, and the header with which a request brings a key."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Request

from api.http.auth import Manager
from api.http.bodies import JsonRoute
from api.http.openapi import problems
from api.http.resources import On
from api.http.threads import threads_of
from memory.accounts.access import Caller, Forbidden
from memory.llm import keys
from schemas.accounts.accounts import KeyText, NewKey
from schemas.llm.calls import KeyPage, Provider, ProviderKey

router = APIRouter(prefix="/v1/keys", tags=["Keys"], route_class=JsonRoute)


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
    return await threads_of(request.app).run(
        keys.store_request_key, on.store, on.settings, caller.user_id, provider, key, token_id=caller.token_id
    )


RequestKey = Annotated[UUID | None, Depends(_request_key)]
"""The id of the key that came with the request, if one did."""


@router.post("", status_code=HTTPStatus.CREATED, responses=problems(409))
def store_key(on: On, caller: Manager, new: NewKey) -> ProviderKey:
    """Store your key for a model provider, encrypted; it can't be read again.

    Scope `manage`, of a token for all your Beings.

    The key that you stored last pays for your Beings' model calls. While one is stored, neither a request's key nor the
    platform's is used in its place. Storing the same key again makes it the newest.
    """
    provider = new.provider or on.thinkers.provider_of(new.key)
    return keys.add(on.store, on.settings, _for_all_beings(caller), provider, new.key)


@router.get("")
def list_keys(on: On, caller: Manager) -> KeyPage:
    """List the keys that you have stored, by their last four characters.

    Scope `manage`, of a token for all your Beings.
    """
    return KeyPage(keys=keys.list_keys(on.store, _for_all_beings(caller)))


@router.delete("/{key_id}", status_code=HTTPStatus.NO_CONTENT)
def remove_key(on: On, caller: Manager, key_id: UUID) -> None:
    """Delete a stored key.

    Scope `manage`, of a token for all your Beings.
    """
    keys.remove(on.store, _for_all_beings(caller), key_id)


def _for_all_beings(caller: Caller) -> UUID:
    if caller.being_id is not None:
        raise Forbidden("This token is bound to one Being, and keys are for all of them: use a token for all Beings.")
    return caller.user_id
