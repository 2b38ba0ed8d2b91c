"""Keys for model providers: stored by users, or brought along by a request."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Request

from api.auth import Manager
from api.bodies import JsonRoute
from api.openapi import problems
from api.resources import On
from memory import keys
from memory.access import Caller, Forbidden
from schemas.requests import KeyText, NewKey
from schemas.thinking import Provider, ProviderKey

router = APIRouter(prefix="/v1/keys", tags=["Keys"], route_class=JsonRoute)


def _brought(
    request: Request,
    on: On,
    key: Annotated[
        KeyText | None,
        Header(
            alias="X-LLM-API-Key",
            description="Your own key for a model provider: it pays for the thinking that this request causes. It is"
            " held encrypted for an hour, or as long as the server says.",
        ),
    ] = None,
    provider: Annotated[
        Provider | None,
        Header(alias="X-LLM-Provider", description="Whose key it is, where that can't be told by how it begins."),
    ] = None,
) -> UUID | None:
    if key is None:
        return None
    caller: Caller = request.state.caller
    return keys.bring(on.store, on.settings, caller.user_id, provider or on.thinkers.provider_of(key), key)


BroughtKey = Annotated[UUID | None, Depends(_brought)]
"""The id of the key that came with the request, if one did, under which work can carry it."""


@router.post("", status_code=HTTPStatus.CREATED, responses=problems(409))
def store_key(on: On, caller: Manager, new: NewKey) -> ProviderKey:
    """Store your key for a model provider; it is encrypted, and never shown again.

    Scope `manage`, of a token for all your Beings.

    Your Beings think with the key that you stored last, unless a request brings one of its own; while one of yours is
    stored, the platform's is never used in its place. The same key stored again is refreshed.
    """
    provider = new.provider or on.thinkers.provider_of(new.key)
    return keys.add(on.store, on.settings, _for_all_beings(caller), provider, new.key)


@router.get("")
def list_keys(on: On, caller: Manager) -> list[ProviderKey]:
    """List the keys that you have stored, by their last four characters.

    Scope `manage`, of a token for all your Beings.
    """
    return keys.listed(on.store, _for_all_beings(caller))


@router.delete("/{key_id}", status_code=HTTPStatus.NO_CONTENT)
def remove_key(on: On, caller: Manager, key_id: UUID) -> None:
    """Forget a key.

    Scope `manage`, of a token for all your Beings.
    """
    keys.remove(on.store, _for_all_beings(caller), key_id)


def _for_all_beings(caller: Caller) -> UUID:
    if caller.being_id is not None:
        raise Forbidden("This token is for one Being, and keys are for all that you have.")
    return caller.user_id
