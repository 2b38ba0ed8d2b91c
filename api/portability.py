"""What is a user's own, taken away or erased for good."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from api.auth import ManagedBeing
from api.bodies import JsonRoute
from api.openapi import problems
from api.resources import On, ring
from memory import erasure, node_erasure
from memory.being_export import export_lines
from schemas.portability import BeingErased, NodeErased

router = APIRouter(prefix="/v1/beings", tags=["Beings"])

Vectors = Annotated[bool, Query(description="Take embeddings along; else they are made anew elsewhere.")]

as_json = APIRouter(route_class=JsonRoute)

LINES = "application/x-ndjson"


@router.get(
    "/{being}/export",
    response_class=StreamingResponse,
    responses={200: {"content": {LINES: {"schema": {"type": "string"}}}, "description": "A JSON object a line."}},
)
def export_being(on: On, being: ManagedBeing, *, vectors: Vectors = False) -> StreamingResponse:
    """Write down all that a Being knows, as of one moment: what `patrol import` brings in elsewhere.

    Scope `manage`.

    The first line says whose the others are, the last that they are all. Lines with `"of": "user"`, and those of the
    kinds `user_model`, `seed`, `spine`, `entity` and `entity_merge`, are the user's, and known to the user's other
    Beings too. Keys, tokens and accounts are not in it.
    """
    return StreamingResponse(export_lines(on.store, being, vectors=vectors), media_type=LINES)


@as_json.delete("/{being}")
def erase_being(on: On, being: ManagedBeing) -> BeingErased:
    """Erase a Being for good, with all that it was told and remembers. Nothing brings it back.

    Scope `manage`.

    Of your facts those go that rest on nothing but what it was told. Your introduction, your user model and the shared
    part of the vault stay.
    """
    erased, rings = erasure.erase_being(on.store, being)
    ring(rings)
    return erased


@as_json.post("/{being}/nodes/{node_id}/erase", responses=problems(409))
def erase_node(on: On, being: ManagedBeing, node_id: UUID) -> NodeErased:
    """Erase a memory for good, with its note and all that it took in. Nothing brings it back.

    Scope `manage`.

    Memories that had taken it in say again what their own notes say, and what else they had taken in stands by itself.
    Diary pages that told of it go as a whole.
    """
    return node_erasure.erase_node(on.store, on.embedders, being, node_id)


@as_json.post("/{being}/notes/{note_id}/erase", responses=problems(409))
def erase_note(on: On, being: ManagedBeing, note_id: UUID) -> NodeErased:
    """Erase a note for good, and the memory that was made of it. Nothing brings it back.

    Scope `manage`.
    """
    return node_erasure.erase_note(on.store, on.embedders, being, note_id)


router.include_router(as_json)
