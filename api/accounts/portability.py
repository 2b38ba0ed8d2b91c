"""Routes that export a Being, and erase Beings, nodes and notes for good."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from api.http.auth import ManagedBeing
from api.http.bodies import JsonRoute
from api.http.idempotency import calls_models
from api.http.openapi import problems
from api.http.resources import On
from memory.accounts import erasure
from memory.accounts.being_export import export_lines
from memory.nodes import erasure as node_erasure
from schemas.accounts.portability import BeingErased, NodeErased

router = APIRouter(prefix="/v1/beings", tags=["Beings"])

Vectors = Annotated[bool, Query(description="Include embeddings; without them the import computes new ones.")]

as_json = APIRouter(route_class=JsonRoute)

LINES = "application/x-ndjson"


@router.get(
    "/{being}/export",
    response_class=StreamingResponse,
    responses={200: {"content": {LINES: {"schema": {"type": "string"}}}, "description": "A JSON object a line."}},
)
def export_being(on: On, being: ManagedBeing, *, vectors: Vectors = False) -> StreamingResponse:
    """Export all that a Being knows, as of one moment, for `patrol import`.

    Scope `manage`.

    The first line is a header, the last the number of lines. Lines with `"of": "user"`, and those of the kinds
    `user_model`, `seed`, `spine`, `entity` and `entity_merge`, belong to the user, whose other Beings know them too.
    Keys, tokens and accounts are not included.
    """
    with on.store.bulk.unhurried():
        return StreamingResponse(export_lines(on.store, being, vectors=vectors), media_type=LINES)


@as_json.delete("/{being}")
def erase_being(on: On, being: ManagedBeing) -> BeingErased:
    """Erase a Being and its memory for good. This can't be undone.

    Scope `manage`.

    Facts without other evidence than messages to this Being are erased too. Your seeds, your user model and the shared
    vault scope stay.
    """
    with on.store.bulk.unhurried():
        return erasure.erase_being(on.store, being)


@as_json.post("/{being}/nodes/{node_id}/erase", responses=problems(409))
@calls_models
def erase_node(on: On, being: ManagedBeing, node_id: UUID) -> NodeErased:
    """Erase a memory for good, with its note and all memories that it absorbed. This can't be undone.

    Scope `manage`.

    Memories that had absorbed it return to the words of their own notes, and other memories that these had absorbed are
    active again. Diary pages about it are erased as a whole.
    """
    return node_erasure.erase_node(on.store, on.settings, on.embedders, being, node_id)


@as_json.post("/{being}/notes/{note_id}/erase", responses=problems(409))
@calls_models
def erase_note(on: On, being: ManagedBeing, note_id: UUID) -> NodeErased:
    """Erase a note for good, with the memory that was made from it. This can't be undone.

    Scope `manage`.
    """
    return node_erasure.erase_note(on.store, on.settings, on.embedders, being, note_id)


router.include_router(as_json)
