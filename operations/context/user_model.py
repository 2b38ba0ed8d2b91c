"""The user model: the description of a user as a person, which all of their Beings share."""

from http import HTTPStatus
from typing import Annotated

from pydantic import Field

from memory.accounts.access import Caller
from memory.context import persona
from operations.declaration import Command, operation
from schemas.context.persona import (
    NewUserModel,
    PersonaKind,
    UserModel,
)
from workers.runtime.resources import Resources

Kind = Annotated[PersonaKind, Field(description="Which list.")]


@operation("GET /v1/user-model", scope="read", commands=[Command("show")])
def show_user_model(on: Resources, caller: Caller) -> UserModel:
    """Show the user model, the description of you as a person; all your Beings share it."""
    return persona.user_model(on.store, caller.user_id)


@operation("PUT /v1/user-model", scope="manage", for_all_beings=True, commands=[Command("set", done="Replaced")])
def write_user_model(on: Resources, caller: Caller, new: NewUserModel) -> UserModel:
    """Replace the user model. A session is shown it once, and again after a change."""
    return persona.write_user_model(on.store, caller.user_id, new)


@operation(
    "DELETE /v1/user-model",
    scope="manage",
    for_all_beings=True,
    forgets=True,
    commands=[Command("remove", done="Removed")],
    status=HTTPStatus.NO_CONTENT,
)
def remove_user_model(on: Resources, caller: Caller) -> None:
    """Remove the user model."""
    persona.remove_user_model(on.store, caller.user_id)
