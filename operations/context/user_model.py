"""The user model: the description of a user as a person, which all of their Beings share."""

from http import HTTPStatus

from memory.accounts.access import Caller
from operations.declaration import Command, operation
from schemas.context.persona import (
    NewUserModel,
    UserModel,
)
from schemas.errors import existing
from store.context import persona
from store.transaction import Transaction


@operation("GET /v1/user-model", scope="read", commands=[Command("show")])
def show_user_model(tx: Transaction, caller: Caller) -> UserModel:
    """Show the user model, the description of you as a person; all your Beings share it."""
    return existing(persona.user_model(tx, caller.user_id), "There is no user model yet.")


@operation("PUT /v1/user-model", scope="manage", for_all_beings=True, commands=[Command("set", done="Replaced")])
def write_user_model(tx: Transaction, caller: Caller, new: NewUserModel) -> UserModel:
    """Replace the user model. A session is shown it once, and again after a change."""
    return persona.write_user_model(tx, caller.user_id, new.content)


@operation(
    "DELETE /v1/user-model",
    scope="manage",
    for_all_beings=True,
    removes_answers=True,
    commands=[Command("remove", done="Removed")],
    status=HTTPStatus.NO_CONTENT,
)
def remove_user_model(tx: Transaction, caller: Caller) -> None:
    """Remove the user model."""
    persona.remove_user_model(tx, caller.user_id)
