"""What is a user's own, taken away or erased for good."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from api.auth import ManagedBeing
from api.resources import On
from memory.being_export import export_lines

router = APIRouter(prefix="/v1/beings/{being}", tags=["Beings"])

Vectors = Annotated[bool, Query(description="Take embeddings along; else they are made anew elsewhere.")]

LINES = "application/x-ndjson"


@router.get(
    "/export",
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
