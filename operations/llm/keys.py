"""Users' keys for model providers."""

from http import HTTPStatus
from uuid import UUID

from memory.accounts.access import Caller
from memory.llm import keys
from operations.declaration import Command, operation
from schemas.accounts.accounts import NewKey
from schemas.llm.calls import KeyPage, ProviderKey
from store.llm import keys as stored_keys
from store.transaction import Transaction
from workers.runtime.resources import Resources


@operation("POST /v1/keys", scope="manage", for_all_beings=True, status=HTTPStatus.CREATED, conflicts=True)
def store_key(on: Resources, caller: Caller, new: NewKey) -> ProviderKey:
    """Store your key for a model provider, encrypted; it can't be read again.

    The key that you stored last pays for your Beings' model calls. While one is stored, neither a request's key nor the
    platform's is used in its place. Storing the same key again makes it the newest.
    """
    provider = new.provider or on.thinkers.provider_of(new.key)
    return keys.add(on.store, on.settings, caller.user_id, provider, new.key)


@operation("GET /v1/keys", scope="manage", for_all_beings=True, commands=[Command("list")])
def list_keys(tx: Transaction, caller: Caller) -> KeyPage:
    """List the keys that you have stored, by their last four characters; the last one pays."""
    return KeyPage(keys=stored_keys.stored(tx, caller.user_id))


@operation(
    "DELETE /v1/keys/{key_id}",
    scope="manage",
    for_all_beings=True,
    status=HTTPStatus.NO_CONTENT,
    commands=[Command("remove", done="Removed")],
)
def remove_key(on: Resources, caller: Caller, key_id: UUID) -> None:
    """Remove a stored key."""
    keys.remove(on.store, caller.user_id, key_id)
