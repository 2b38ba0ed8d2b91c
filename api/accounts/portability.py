"""Routes that export a Being, and erase Beings, nodes and notes for good."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import StreamingResponse

from api.http.access.auth import ManagedBeing
from api.http.endpoints import Router
from api.http.resources import On
from memory.accounts.being_export import export_lines

router = Router(prefix="/v1/beings", tags=["Beings"])

Vectors = Annotated[bool, Query(description="Include embeddings; without them the import computes new ones.")]

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
    `user_model`, `seed`, `entity` and `entity_merge`, belong to the user, whose other Beings know them too.
    Keys, tokens and accounts are not included.
    """
    with on.store.bulk.unhurried():
        return StreamingResponse(export_lines(on.store, being, vectors=vectors), media_type=LINES)
