"""Routes of the soul and its state, of a Being's lists of entries, and of the user model."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path

from api.http.auth import ManagedBeing, Manager, ReadBeing, Reader
from api.http.bodies import JsonRoute, body_limit
from api.http.openapi import problems
from api.http.resources import On
from memory.accounts.access import Forbidden
from schemas.context.persona import (
    NewPersonaEntry,
    NewUserModel,
    PersonaChanges,
    PersonaEntry,
    PersonaKind,
    PersonaPage,
    SoulChanges,
    UserModel,
    WholeSoul,
)
from store.accounts import request_answers
from store.context import persona, souls
from store.errors import NotFound

router = APIRouter(prefix="/v1", tags=["Persona"], route_class=JsonRoute)

Kind = Annotated[PersonaKind, Path(description="Which list.")]


@router.get("/beings/{being}/soul")
def show_soul(on: On, being: ReadBeing) -> WholeSoul:
    """Show a Being's soul and its state.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        return WholeSoul(soul=souls.get(tx, being.being_id), state=persona.state(tx, being.being_id))


@router.patch("/beings/{being}/soul")
@body_limit("document")
def change_soul(on: On, being: ManagedBeing, changes: SoulChanges) -> WholeSoul:
    """Change parts of a Being's soul or of its state.

    Scope `manage`.

    Omitted parts stay; an empty text removes a part. Each change alters Block 1-A, so that the provider's prompt cache
    misses once.
    """
    with on.store.transaction() as tx:
        if parts := changes.of_soul():
            persona.write_soul(tx, being.being_id, parts)
        if parts := changes.of_state():
            persona.set_state(tx, being.being_id, parts)
        return WholeSoul(soul=souls.get(tx, being.being_id), state=persona.state(tx, being.being_id))


@router.get("/beings/{being}/persona/{kind}")
def list_persona(on: On, being: ReadBeing, kind: Kind) -> PersonaPage:
    """List the entries of one of a Being's lists in the order of contexts; disabled ones too.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        return PersonaPage(entries=persona.listed(tx, being.being_id, kind))


@router.post("/beings/{being}/persona/{kind}", status_code=HTTPStatus.CREATED, responses=problems(409))
def add_persona(on: On, being: ManagedBeing, kind: Kind, new: NewPersonaEntry) -> PersonaEntry:
    """Add an entry to one of a Being's lists, which hold up to 100 each.

    Scope `manage`.
    """
    with on.store.transaction() as tx:
        return persona.add(tx, being.being_id, kind, new.model_dump())


@router.patch("/beings/{being}/persona/{kind}/{entry_id}", responses=problems(409))
def change_persona(on: On, being: ManagedBeing, kind: Kind, entry_id: UUID, changes: PersonaChanges) -> PersonaEntry:
    """Change an entry, enable it or disable it.

    Scope `manage`.
    """
    with on.store.transaction() as tx:
        return persona.change(tx, being.being_id, kind, entry_id, changes.model_dump())


@router.delete("/beings/{being}/persona/{kind}/{entry_id}", status_code=HTTPStatus.NO_CONTENT)
def remove_persona(on: On, being: ManagedBeing, kind: Kind, entry_id: UUID) -> None:
    """Remove an entry.

    Scope `manage`.
    """
    with on.store.transaction() as tx:
        persona.remove(tx, being.being_id, kind, entry_id)
        request_answers.forget(tx, being.user_id)


@router.get("/user-model", responses=problems(404))
def show_user_model(on: On, caller: Reader) -> UserModel:
    """Show the user model, the description of you as a person; all your Beings share it.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        model = persona.user_model(tx, caller.user_id)
    if model is None:
        raise NotFound("There is no user model yet.")
    return model


@router.put("/user-model")
def write_user_model(on: On, caller: Manager, new: NewUserModel) -> UserModel:
    """Replace the user model. A session is shown it once, and again after a change.

    Scope `manage`, with a token for all of your Beings.
    """
    _must_be_for_all(caller.being_id)
    with on.store.transaction() as tx:
        return persona.write_user_model(tx, caller.user_id, new.content)


@router.delete("/user-model", status_code=HTTPStatus.NO_CONTENT)
def remove_user_model(on: On, caller: Manager) -> None:
    """Remove the user model.

    Scope `manage`, with a token for all of your Beings.
    """
    _must_be_for_all(caller.being_id)
    with on.store.transaction() as tx:
        persona.remove_user_model(tx, caller.user_id)
        request_answers.forget(tx, caller.user_id)


def _must_be_for_all(being_id: UUID | None) -> None:
    if being_id is not None:
        raise Forbidden(
            "This token is for one Being, and the user model is shared by all: use a token for all of your Beings."
        )
